#include <fmt/format.h>

#include <random>

#include "corpus/test_corpus.h"

namespace refrain::corpus {
namespace {

class Fields : public Corpus {
 protected:
  // The fields of all documents.
  static std::vector<Texts> fields_of(const Collected& found) {
    std::vector<Texts> all;
    for (const Document& document : found.documents) all.push_back(document.fields);
    return all;
  }
};

TEST_F(Fields, OfJsonComeAsTheyAreWritten) {
  const std::string path = write("a.jsonl",
                                 "{\"text\":\"x\",\"a\":\"q\\u00e9\\n\",\"b\":-1.50e3 ,\"c\":true}\n"
                                 "{\"a\":null,\"b\":\"\",\"c\": {\"d\" : [1, 2]} , \"text\":\"y\"}\n"
                                 "{\"c\":[ {\"a\":1}, \"]\" ]\t,\"text\":\"z\",\"b\":7}\n"
                                 "{\"a\":\"of a bad record\",\"b\":1}\n"
                                 "{\"text\":\"w\",\"a\":1,\"a\":2,\"b\":false }\n");
  const Collected found = collect({.paths = {path}, .extra_fields = {"a", "b", "c"}});
  EXPECT_EQ(found.texts(), (Texts{"x", "y", "z", "<bad>", "w"}));
  EXPECT_EQ(fields_of(found), (std::vector<Texts>{{"string:q\xc3\xa9\n", "number:-1.50e3", "boolean:true"},
                                                  {"null:", "string:", "json:{\"d\" : [1, 2]}"},
                                                  {"missing:", "number:7", "json:[ {\"a\":1}, \"]\" ]"},
                                                  {"missing:", "missing:", "missing:"},
                                                  {"number:1", "boolean:false", "missing:"}}));
}

TEST_F(Fields, TheTextAndTheIdMayBeAskedForAgain) {
  const std::string json = write("a.jsonl", "{\"text\":\"a\\tb\",\"id\":12}\n{\"id\":\"x\",\"text\":\"\"}\n");
  const std::string table = write("a.csv", "text,id\n\"a\"\"b\",12\n,x\n");
  InputOptions options{.paths = {json}, .id_field = "id", .extra_fields = {"text", "id", "text"}};
  EXPECT_EQ(fields_of(collect(options)),
            (std::vector<Texts>{{"string:a\tb", "number:12", "string:a\tb"}, {"string:", "string:x", "string:"}}));
  options.paths = {table};
  EXPECT_EQ(fields_of(collect(options)),
            (std::vector<Texts>{{"string:a\"b", "string:12", "string:a\"b"}, {"string:", "string:x", "string:"}}));
}

TEST_F(Fields, ADotWalksIntoObjects) {
  const std::string path = write("a.jsonl",
                                 "{\"m\":{\"text\":\"one\",\"n\":{\"id\":5}, \"s\":\"web\"},\"o\":1}\n"
                                 "{\"m\":{\"n\":{\"id\":\"six\",\"n\":[]},\"text\":\"t\\u0077o\",\"s\":{}}}\n");
  const Collected found = collect({.paths = {path},
                                   .text_field = "m.text",
                                   .id_field = "m.n.id",
                                   .extra_fields = {"m.s", "m", "m.n", "m.n.n", "o", "m.text"}});
  EXPECT_EQ(found.texts(), (Texts{"one", "two"}));
  EXPECT_EQ(found.ids(), (Texts{"5", "six"}));
  EXPECT_EQ(fields_of(found),
            (std::vector<Texts>{{"string:web", "json:{\"text\":\"one\",\"n\":{\"id\":5}, \"s\":\"web\"}",
                                 "json:{\"id\":5}", "missing:", "number:1", "string:one"},
                                {"json:{}", "json:{\"n\":{\"id\":\"six\",\"n\":[]},\"text\":\"t\\u0077o\",\"s\":{}}",
                                 "json:{\"id\":\"six\",\"n\":[]}", "json:[]", "missing:", "string:two"}}));
}

TEST_F(Fields, AKeyWithADotWinsWhereverItStands) {
  const std::string path = write("a.jsonl",
                                 "{\"a\":{\"b.c\":\"1\",\"b\":{\"c\":\"2\"}},\"a.b.c\":\"3\"}\n"
                                 "{\"a.b.c\":\"3\",\"a\":{\"b\":{\"c\":\"2\"},\"b.c\":\"1\"}}\n"
                                 "{\"a\":{\"b\":{\"c\":\"2\"},\"b.c\":\"1\"}}\n"
                                 "{\"a\":{\"b\":{\"c\":\"2\"}}}\n"
                                 "{\"a.b\":{\"c\":\"no\"},\"a\":[{\"b\":{\"c\":\"no\"}}]}\n"
                                 "{\"a\":{\"b\":7},\"a\":{\"b\":{\"c\":\"2\"}}}\n"
                                 "{\"a\":{\"b\":{\"c\":9}},\"a.b.c\":\"3\"}\n");
  const Collected found = collect({.paths = {path}, .text_field = "a.b.c", .extra_fields = {"a.b.c"}});
  EXPECT_EQ(found.texts(), (Texts{"3", "3", "1", "2", "<bad>", "2", "3"}));
  EXPECT_EQ(fields_of(found)[0], Texts{"string:3"});
  EXPECT_EQ(found.complaints(), Texts{path + ":5: no field 'a.b.c'; the record has 'a.b', 'a'"});
}

TEST_F(Fields, ANestedTextIsRejectedAsAnyOther) {
  const std::string path = write("a.jsonl",
                                 "{\"m\":{\"text\":7}}\n"
                                 "{\"m\":\"text\"}\n"
                                 "{\"m\":{\"text\":\"x\",}}\n"
                                 "{\"m\":{\"text\":\"x\"},\"n\":01}\n"
                                 "{\"m\":{\"text\":\"x\"},\"n\":tru}\n"
                                 "{\"m\":{\"text\":\"x\"},\"n\":nul}\n");
  const Collected found = collect({.paths = {path}, .text_field = "m.text", .extra_fields = {"n"}});
  EXPECT_EQ(found.texts(), (Texts{"<bad>", "<bad>", "<bad>", "<bad>", "<bad>", "<bad>"}));
  EXPECT_EQ(found.complaints()[0], path + ":1: field 'm.text' is not a string");
  EXPECT_EQ(found.complaints()[1], path + ":2: no field 'm.text'; the record has 'm'");
}

TEST_F(Fields, OfATableAreStrings) {
  const std::string path = write("a.csv",
                                 "a,text,b.c,last\r\n"
                                 "1,x,\"q\"\"\n,\",end\r\n"
                                 ",y,,\r\n"
                                 "2,z\r\n"
                                 "bad\n"
                                 "\"3\",\"w\",\"\",\"\"");
  const Collected found = collect({.paths = {path}, .extra_fields = {"last", "none", "a", "b.c"}});
  EXPECT_EQ(found.texts(), (Texts{"x", "y", "z", "<bad>", "w"}));
  EXPECT_EQ(fields_of(found), (std::vector<Texts>{{"string:end", "missing:", "string:1", "string:q\"\n,"},
                                                  {"string:", "missing:", "string:", "string:"},
                                                  {"missing:", "missing:", "string:2", "missing:"},
                                                  {"missing:", "missing:", "missing:", "missing:"},
                                                  {"string:", "missing:", "string:3", "string:"}}));
}

TEST_F(Fields, WhatHasNoFieldsIsRefused) {
  write("in/a.jsonl", "{\"text\":\"x\"}\n");
  write("in/b", "whole");
  const auto refused = [](const InputOptions& options) {
    const std::optional<Error> error = refusal(options);
    return error && error->code() == Errc::invalid_argument ? std::string(error->what()) : "not refused";
  };
  const std::string remedy = " no field 's'; use jsonl, csv, tsv or parquet";
  EXPECT_EQ(refused({.paths = {at("in")}, .extra_fields = {"s"}}), at("in/b") + ": plain files have" + remedy);
  EXPECT_EQ(refused({.paths = {at("in/b")}, .format = Format::lines, .extra_fields = {"s"}}),
            at("in/b") + ": lines have" + remedy);
  EXPECT_EQ(refused({.paths = {at("in/a.jsonl")}, .extra_fields = {"s"}}), "not refused");
}

TEST_F(Fields, TheBatchNamesItsFile) {
  write("in/a.jsonl", "{\"text\":\"x\"}\n{\"text\":\"y\"}\n");
  write("in/b", "whole");
  write("in/c.csv", "text\nz\n");
  const Collected found = collect({.paths = {at("in")}});
  Texts files;
  for (const Document& document : found.documents) files.push_back(document.file);
  EXPECT_EQ(files, (Texts{at("in/a.jsonl"), at("in/a.jsonl"), "", at("in/c.csv")}));
  EXPECT_EQ(found.ids()[2], at("in/b"));
}

TEST_F(Fields, ALongValueTakesItsMemoryFromTheBudget) {
  const std::string value(20 << 20, 'v');
  for (const bool table : {false, true}) {
    const std::string path =
        table ? write("a.csv", "text,v\nx," + value + "\ny,1\n")
              : write("a.jsonl", "{\"text\":\"x\",\"v\":\"" + value + "\"}\n{\"text\":\"y\",\"v\":1}");
    const InputOptions options{.paths = {path}, .extra_fields = {"v"}};
    const Collected found = collect(options, 2, {});  // which checks that all memory is released
    ASSERT_EQ(found.documents.size(), 2U);
    EXPECT_TRUE(found.documents[0].fields.front() == "string:" + value);
    try {
      collect(options, 1, {}, std::uint64_t{64} << 20);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::over_budget);
    }
  }
}

}  // namespace
}  // namespace refrain::corpus
