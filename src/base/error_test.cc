#include "refrain/error.h"

#include <gtest/gtest.h>

namespace refrain {

namespace {

std::string python(const Error& error) {
  return error.spelled([](std::string_view option) { return std::string(option) + "="; });
}

TEST(Error, TellsTheOptionApartFromTheSentence) {
  const Error error(Errc::invalid_argument, "`max_doc_bytes`: must be above 0");
  EXPECT_EQ(error.option(), "max_doc_bytes");
  EXPECT_EQ(error.sentence(), "must be above 0");
  const Error value(Errc::over_budget, "`memory` 64 MiB: too little for 80 threads; give more, or fewer `threads`");
  EXPECT_EQ(value.option(), "memory");
  EXPECT_EQ(value.sentence(), "64 MiB: too little for 80 threads; give more, or fewer `threads`");
  EXPECT_EQ(python(value), "memory= 64 MiB: too little for 80 threads; give more, or fewer threads=");
}

TEST(Error, AnOptionMayHaveOneLetterAndStandAtTheEnd) {
  const Error error(Errc::invalid_argument, "`n` 0: must be from 1 to 10000 tokens");
  EXPECT_EQ(error.option(), "n");
  EXPECT_EQ(python(Error(Errc::invalid_argument, "no output folder; name one with `output`")),
            "no output folder; name one with output=");
}

TEST(Error, OtherBackquotesAreKept) {
  for (const char* message : {"/data/`strict`.txt: not found", "``: nothing", "`", "a `", "a `b",
                              "`iconv -l` lists them", "`Upper`: no", "x`y` z", "`y`z", "--strict: no"}) {
    const Error error(Errc::io, message);
    EXPECT_EQ(error.option(), "") << message;
    EXPECT_EQ(error.sentence(), message);
    EXPECT_EQ(python(error), message);
  }
}

}  // namespace

}  // namespace refrain
