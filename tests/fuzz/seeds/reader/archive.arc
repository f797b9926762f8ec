filedesc://a.arc 0.0.0.0 19960923142103 text/plain 6
1 0 x

http://a/ 1.2.3.4 19961104142103 text/html 47
HTTP/1.0 200 OK
Content-Type: text/html

abcd
http://b/ 1.2.3.4 19961104142103 text/plain 200 - - 0 a 5
hello
