#include "listing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

namespace starling::cli {
namespace {

using testing::ElementsAre;

struct Bird {
  std::string name;
  int number = 0;
  std::optional<double> weight{};
};

ListShape<Bird> birdsShape() {
  return {{{"NUMBER", ColumnKind::kNumber, "id", [](const Bird& bird) { return std::to_string(bird.number); }},
           {"FULL NAME", ColumnKind::kText, "name", [](const Bird& bird) { return bird.name; },
            [](const Bird& bird) { return bird.number == 1 ? Tone::kGood : Tone::kPlain; }},
           {"WEIGHT", ColumnKind::kFigure, "weight",
            [](const Bird& bird) { return bird.weight ? std::to_string(*bird.weight).substr(0, 3) + " g" : "-"; }}},
          [](const Bird& bird) {
            return Json{{"id", bird.number}, {"name", bird.name}, {"weight", optionalJson(bird.weight)}};
          }};
}

const std::vector<Bird> kBirds = {{"wren", 2, 9.5}, {"auk", 10, {}}, {"tit", 1, 18.0}};

std::vector<std::string> namesAfter(const ListOptions& options) {
  std::vector<std::string> names;
  for (const Bird& bird : arranged(birdsShape(), kBirds, options)) names.push_back(bird.name);
  return names;
}

TEST(Listing, keepsTheOrderUnlessAsked) {
  EXPECT_THAT(namesAfter({}), ElementsAre("wren", "auk", "tit"));
  EXPECT_THAT(namesAfter({.is_reversed = true}), ElementsAre("tit", "auk", "wren"));
}

TEST(Listing, sortsTextsAndNumbersUpAndFiguresDown) {
  EXPECT_THAT(namesAfter({.sort = "name"}), ElementsAre("auk", "tit", "wren"));
  EXPECT_THAT(namesAfter({.sort = "number"}), ElementsAre("tit", "wren", "auk"));
  EXPECT_THAT(namesAfter({.sort = "weight"}), ElementsAre("tit", "wren", "auk"));
}

TEST(Listing, putsWhatIsNotKnownLastInBothDirections) {
  EXPECT_THAT(namesAfter({.sort = "weight", .is_reversed = true}), ElementsAre("wren", "tit", "auk"));
}

TEST(Listing, isCut) {
  EXPECT_THAT(namesAfter({.sort = "name", .limit = 2}), ElementsAre("auk", "tit"));
  EXPECT_THAT(namesAfter({.limit = 9}), ElementsAre("wren", "auk", "tit"));
}

TEST(Listing, isSortedByWhatAColumnSaysInPlaceOfItsField) {
  ListShape<Bird> shape = birdsShape();
  shape.columns[1].value = [](const Bird& bird) { return Json(bird.name.substr(1)); };
  EXPECT_EQ(arranged(shape, kBirds, {.sort = "name"})[0].name, "tit");
}

TEST(Listing, columnsAreCalledByTitleOrField) {
  const std::vector<ColumnName> names = birdsShape().names();
  ASSERT_EQ(names.size(), 3U);
  EXPECT_EQ(names[1].word(), "full_name");
  for (const char* text : {"full_name", "FULL NAME", "Name"}) EXPECT_TRUE(isNamed(names[1], text)) << text;
  EXPECT_FALSE(isNamed(names[1], "full"));
}

TEST(Listing, isPrintedAsATableAsJsonOrAsCsv) {
  EXPECT_EQ(formatList(birdsShape(), kBirds, {}, {}),
            "NUMBER  FULL NAME  WEIGHT\n"
            "     2  wren        9.5 g\n"
            "    10  auk             -\n"
            "     1  tit         18. g\n");
  EXPECT_EQ(formatList(birdsShape(), kBirds, {.csv = true}, {}), "id,name,weight\n2,wren,9.5\n10,auk,\n1,tit,18.0\n");
  const Json json = Json::parse(formatList(birdsShape(), {kBirds[1]}, {.json = true}, {}));
  EXPECT_EQ(json, Json::parse(R"([{"id": 10, "name": "auk", "weight": null}])"));
}

TEST(Listing, hidesColumns) {
  ListShape<Bird> shape = birdsShape();
  shape.setShown("id", false);
  EXPECT_EQ(tableOf(shape, {kBirds[1]}).text(), "FULL NAME  WEIGHT\nauk             -\n");
}

TEST(Listing, hasColoursWhereTheLookHas) {
  const std::string plain = formatList(birdsShape(), kBirds, {}, {});
  const std::string coloured = formatList(birdsShape(), kBirds, {}, {.has_colours = true});
  EXPECT_EQ(plain.find('\x1b'), std::string::npos);
  EXPECT_NE(coloured.find(toned(Tone::kTitle, "FULL NAME")), std::string::npos);
  EXPECT_NE(coloured.find(toned(Tone::kGood, "tit") + "      "), std::string::npos);
  EXPECT_EQ(coloured.find(toned(Tone::kGood, "auk")), std::string::npos);
}

}  // namespace
}  // namespace starling::cli
