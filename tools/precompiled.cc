// Nothing: it stands for the headers that are compiled with it.
