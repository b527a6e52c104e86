// Delimited text: what is recognised, what is refused, and in which words.
#include <cmath>
#include <limits>

#include "io/csv_cells.hpp"
#include "io/test_files.hpp"

namespace geotherm {
namespace {

using detail::CellKind;
using detail::classify;
using detail::format_with_thousands;
using detail::has_thousands;
using detail::NumberFormat;
using testing::has;
using testing::io_error;
using Names = std::vector<std::string>;

class Csv : public testing::FolderTest {
 protected:
  Table read(std::string_view text, const std::string& name = "t.csv") {
    return read_table(made(name, text));
  }
  std::string error(std::string_view text, const std::string& name = "t.csv") {
    const std::string message = io_error([&] { read(text, name); });
    EXPECT_TRUE(message.starts_with(path(name))) << message;
    return message.substr(std::min(path(name).size(), message.size()));
  }
};

void expect_values(const Table& table, std::size_t cols, const std::vector<double>& values) {
  const Matrix<double> matrix = table.to_double();
  ASSERT_EQ(matrix.cols(), cols);
  ASSERT_EQ(matrix.size(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(matrix.data()[i], values[i]) << i;
}

TEST_F(Csv, PlainNumbersNeedNeitherHeaderNorNames) {
  const Table table = read("1,2.5,-3\n4e2,+5,.5\n");
  expect_values(table, 3, {1, 2.5, -3, 400, 5, 0.5});
  EXPECT_TRUE(table.row_names.empty());
  EXPECT_TRUE(table.column_names.empty());
  EXPECT_EQ(table.assumed, "comma-separated, no header, no row names");
  EXPECT_EQ(table.source, path("t.csv"));
}

TEST_F(Csv, AHeaderIsRecognisedByItsWords) {
  const Table table = read("a,b\n1,2\n3,4\n");
  expect_values(table, 2, {1, 2, 3, 4});
  EXPECT_EQ(table.column_names, (Names{"a", "b"}));
  EXPECT_TRUE(table.row_names.empty());
  EXPECT_EQ(table.assumed, "comma-separated, with a header, no row names");
}

TEST_F(Csv, RowNamesAreRecognisedWithoutAHeader) {
  const Table table = read("cell A,1,2\ncell B,3,4\n");
  expect_values(table, 2, {1, 2, 3, 4});
  EXPECT_EQ(table.row_names, (Names{"cell A", "cell B"}));
  EXPECT_TRUE(table.column_names.empty());
}

TEST_F(Csv, RowNamesAndHeaderGoTogether) {
  const Table table = read("gene,x,y\na,1,2\nb,3,4\n");
  expect_values(table, 2, {1, 2, 3, 4});
  EXPECT_EQ(table.row_names, (Names{"a", "b"}));
  EXPECT_EQ(table.column_names, (Names{"x", "y"}));
}

TEST_F(Csv, ANumericFirstColumnIsNamesWhereTheHeaderSaysSo) {
  for (const std::string label : {"id", "ID", "index", "Name", "", "\"\""}) {
    const Table table = read(label + ",x1,x2\n0,1,2\n1,3,4\n");
    expect_values(table, 2, {1, 2, 3, 4});
    EXPECT_EQ(table.row_names, (Names{"0", "1"})) << label;
    EXPECT_EQ(table.column_names, (Names{"x1", "x2"})) << label;
  }
}

TEST_F(Csv, ColumnsNamedByNumberAreAHeaderWhereTheFirstCellSaysSo) {
  const Table table = read(",0,1\n0,0.5,1.5\n1,2.5,3.5\n");  // as pandas writes an unnamed frame
  expect_values(table, 2, {0.5, 1.5, 2.5, 3.5});
  EXPECT_EQ(table.column_names, (Names{"0", "1"}));
  EXPECT_TRUE(has(read("0,1\n5,6\n").assumed, "line 1, 0 1 2 ..., was read as data"));
}

TEST_F(Csv, TheHeaderOfRLacksTheFirstCell) {
  const Table table = read("\"V1\" \"V2\"\n\"r1\" 1 2\n\"r2\" 3 4\n", "t.txt");
  expect_values(table, 2, {1, 2, 3, 4});
  EXPECT_EQ(table.row_names, (Names{"r1", "r2"}));
  EXPECT_EQ(table.column_names, (Names{"V1", "V2"}));
  const Table numbered = read("x\ty\n1\t5\t6\n2\t7\t8\n", "t.tsv");
  EXPECT_EQ(numbered.row_names, (Names{"1", "2"}));
  expect_values(numbered, 2, {5, 6, 7, 8});
}

TEST_F(Csv, TheSeparatorIsFoundFromEndingAndContent) {
  const std::vector<double> values = {1, 2, 3, 4};
  for (const std::string name : {"t.csv", "t.tsv", "t.txt", "T.CSV"}) {
    expect_values(read("1,2\n3,4\n", name), 2, values);
    expect_values(read("1;2\n3;4\n", name), 2, values);
    expect_values(read("1\t2\n3\t4\n", name), 2, values);
    expect_values(read("1 2\n3 4\n", name), 2, values);
    expect_values(read("  1   2\t\n 3 \t 4  \n", name), 2, values);
    expect_values(read("1, 2\n3 , 4 \n", name), 2, values);
    expect_values(read("a;b,b\n1;2\n3;4\n", name), 2, values);
  }
  EXPECT_EQ(read("T cell\t1\t2\nB cell\t3\t4\n", "t.tsv").row_names, (Names{"T cell", "B cell"}));
  EXPECT_EQ(read("GO:1;2,1,2\nGO:3;4,3,4\n").row_names, (Names{"GO:1;2", "GO:3;4"}));
}

TEST_F(Csv, OneColumnAndOneRowAreTables) {
  expect_values(read("1\n2\n3\n"), 1, {1, 2, 3});
  const Table table = read("height\n1\n2\n");
  expect_values(table, 1, {1, 2});
  EXPECT_EQ(table.column_names, (Names{"height"}));
  expect_values(read("1,2,3"), 3, {1, 2, 3});
  expect_values(read("7"), 1, {7});
  expect_values(read("id\n7\n8\n"), 1, {7, 8});
}

TEST_F(Csv, QuotesMayHoldSeparatorsQuotesAndLineBreaks) {
  const Table table = read("id,\"a,b\",\"c \"\"d\"\"\"\n\"x\ny\",1,\"2\"\n\"z, w\" ,3,4\n");
  expect_values(table, 2, {1, 2, 3, 4});
  EXPECT_EQ(table.row_names, (Names{"x\ny", "z, w"}));
  EXPECT_EQ(table.column_names, (Names{"a,b", "c \"d\""}));
  // Lines are counted through quoted breaks.
  EXPECT_TRUE(has(error("id,a\n\"x\ny\",1\nz,oops\n"), ", line 4, column 2: 'oops'"));
  EXPECT_TRUE(has(error("id,a\n\"x,1\ny,2\n"), ", line 2, column 1: a quotation mark opens"));
  EXPECT_TRUE(has(error("id,a\n\"x\"y,1\n"), ", line 2, column 1: there is text after"));
}

TEST_F(Csv, LineEndsMarksAndBlankEndsDoNotMatter) {
  expect_values(read("\xEF\xBB\xBF"
                     "a,b\r\n1,2\r\n3,4\r\n"),
                2, {1, 2, 3, 4});
  EXPECT_EQ(read("\xEF\xBB\xBF"
                 "a,b\r\n1,2\r\n")
                .column_names,
            (Names{"a", "b"}));
  expect_values(read("1,2\n3,4\n\n\n  \r\n\n"), 2, {1, 2, 3, 4});
  expect_values(read("\n\n1,2\n3,4"), 2, {1, 2, 3, 4});
  expect_values(read("\t\n\t \t\r\n1,2\n3,4\n\t\t"), 2, {1, 2, 3, 4});
}

TEST_F(Csv, CommentsAtTheTopAreSkippedOrServeAsHeader) {
  const Table named = read("# made today\n# x y\n1 2\n3 4\n", "t.txt");
  expect_values(named, 2, {1, 2, 3, 4});
  EXPECT_EQ(named.column_names, (Names{"x", "y"}));
  const Table plain = read("# a remark of many words\n1 2\n3 4\n", "t.txt");
  expect_values(plain, 2, {1, 2, 3, 4});
  EXPECT_TRUE(plain.column_names.empty());
  expect_values(read("# \r\n1\n2\n"), 1, {1, 2});
  // A remark one word short of the columns is no header of R: no column may vanish.
  expect_values(read("# some \"words\n1 2 3\n4 5 6\n", "t.txt"), 3, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(read("#id,x,y\n7,1,2\n").row_names, (Names{"7"}));
  EXPECT_TRUE(has(error("# only this\n"), "only comments"));
}

TEST_F(Csv, InfinityIsRead) {
  const double inf = std::numeric_limits<double>::infinity();
  expect_values(read("1,inf\n-Infinity,2\n"), 2, {1, inf, -inf, 2});
}

TEST_F(Csv, WhatIsNotANumberIsNamedWithPlaceAndRemedy) {
  EXPECT_EQ(error("a,b,c\n1,2,3\n4,5,abc\n"),
            ", line 3, column 3: 'abc' is not a number (`drop` c leaves the column 'c' out, "
            "`label_column` c takes it as labels; or correct it)");
  EXPECT_TRUE(has(error("1,2\n3,abc\n"), "(remove the column or replace its text by numbers)"));
  EXPECT_TRUE(has(error("1,2\n1.5x,3\n"), ", line 2, column 1: '1.5x' is not a number"));
  EXPECT_TRUE(has(error("1,2\n1.5x,3\n"), "head it 'id'"));
  EXPECT_TRUE(has(error("1;2,5\n3;4,5\n"), "column 2: '2,5' is not a number (write decimals"));
  EXPECT_TRUE(has(error("1,2\n3,1e999\n"), ", line 2, column 2: '1e999' is too large"));
  EXPECT_TRUE(has(error("1,2\n3,+-4\n"), "'+-4' is not a number"));
  EXPECT_TRUE(has(error("1,2\n3,0x10\n"), "'0x10' is not a number"));
  EXPECT_TRUE(has(error("1,2\n3," + std::string(500, 'z') + "\n"), "zzz...' is not"));
}

TEST_F(Csv, AFaultInTheFirstRowIsNotTakenForAHeader) {
  EXPECT_TRUE(has(error("1,2,x3,4\n5,6,7,8\n"), ", line 1, column 3: 'x3' is not a number"));
  EXPECT_TRUE(has(error("1,NA,3\n5,6,7\n"), ", line 1, column 2: missing value 'NA'"));
  EXPECT_TRUE(has(error("NA,2,3\n5,6,7\n"), ", line 1, column 1: missing value 'NA'"));
  EXPECT_TRUE(has(error(",2.5,3\n5,6,7\n"), ", line 1, column 1: empty cell"));
}

TEST_F(Csv, AFaultInTheFirstColumnIsNotTakenForRowNames) {
  const std::string message = error("x,y\nabc,2\n3,4\n");
  EXPECT_TRUE(has(message, ", line 2, column 1: 'abc' is not a number, though line 3 has one"));
  EXPECT_TRUE(has(message, "head it 'id'"));
  EXPECT_EQ(read("id,y\nabc,2\n3,4\n").row_names, (Names{"abc", "3"}));
}

TEST_F(Csv, MissingValuesAreNamedWithPlaceAndRemedy) {
  for (const std::string word : {"NA", "NaN", "nan", "-nan", "N/A", "null", "None"}) {
    EXPECT_EQ(
        error("a,b\n1,2\n3," + word + "\n"),
        ", line 3, column 2: missing value '" + word +
            "'; 1 of 4 values are missing, 25 % (remove the row or the column, or fill in the "
            "value: `missing` mean or knn)");
  }
  EXPECT_TRUE(has(error("a,b\n1,2\n,4\n"), ", line 3, column 1: empty cell; 1 of 4"));
  EXPECT_TRUE(has(error("a,b\n1,2\n3,\n"), ", line 3, column 2: empty cell"));
  EXPECT_TRUE(has(error("a,b\n1,2\n3,  \n"), ", line 3, column 2: empty cell"));
  EXPECT_TRUE(has(error("1,2,\n3,4,\n"), ", line 1, column 3: empty cell"));
}

TEST_F(Csv, RaggedRowsAreNamedWithBothCounts) {
  EXPECT_TRUE(has(error("a,b,c\n1,2,3\n4,5\n6,7,8\n"),
                  ", line 3: has 2 cells, but line 1 has 3 (every row needs the same number"));
  EXPECT_TRUE(has(error("1,2\n3,4\n5,6,7\n"), ", line 3: has 3 cells, but line 1 has 2"));
  EXPECT_TRUE(has(error("id,a\nx,1\ny\n"), ", line 3: has 1 cell, but line 1 has 2"));
  EXPECT_TRUE(has(error("1 2\n3 4\n5\n", "t.txt"), "here separated by spaces"));
  EXPECT_TRUE(has(error("1,2\n\n3,4\n"), ", line 2: is blank, but data follows"));
  EXPECT_TRUE(has(error("a,1,2\nb,1,2,3\n"), ", line 2: has 4 cells, but line 1 has 3"));
}

TEST_F(Csv, FilesWithoutDataAreRefused) {
  EXPECT_TRUE(has(error(""), ": is empty"));
  EXPECT_TRUE(has(error("\n\n  \n"), ": is empty"));
  EXPECT_TRUE(has(error("a,b,c\n"), ": has a header but no rows"));
  EXPECT_TRUE(has(error(std::string("\xFF\xFE"
                                    "1\0,\0",
                                    6)),
                  "UTF-16"));
  EXPECT_TRUE(has(error(std::string("1,2\0\n", 5)), "not a text file"));
}

TEST_F(Csv, ManyBlankLinesAfterAWideRowTakeNoMemory) {
  // A line for each of 100,000 rows and 100,000 cells in the first would be 80 GB.
  std::string text = "1";
  for (int i = 1; i < 100'000; ++i) text += ",1";
  text += "\n" + std::string(100'000, '\n') + "2\n";
  EXPECT_TRUE(has(error(text), ", line 2: is blank"));
}

TEST(CsvCell, NumbersAreRoundedAsTheStandardSays) {
  // The short way and the general way must agree on every value the short way accepts.
  Rng rng(1, "csv_test.numbers");
  for (int i = 0; i < 20'000; ++i) {
    std::string text = rng.below(2) == 0 ? "-" : "";
    for (std::uint64_t n = 1 + rng.below(9); n-- > 0;)
      text += static_cast<char>('0' + rng.below(10));
    text += '.';
    for (std::uint64_t n = rng.below(12); n-- > 0;) text += static_cast<char>('0' + rng.below(10));
    double quick = 0, general = 0;
    const char* end = text.data() + text.size();
    ASSERT_EQ(detail::parse_number(text.data(), end, general), end) << text;
    if (detail::parse_short_number(text.data(), end, quick) != nullptr) {
      ASSERT_EQ(quick, general) << text;
    } else {
      ASSERT_GT(std::abs(general), 0) << text;
    }
  }
}

TEST(CsvCell, KindsAreToldApart) {
  double value = 1;
  EXPECT_EQ(classify("1e-400", value), CellKind::number);
  EXPECT_EQ(value, 0);
  EXPECT_EQ(classify("-0." + std::string(400, '0') + "1", value), CellKind::number);
  EXPECT_TRUE(value == 0 && std::signbit(value));
  EXPECT_EQ(classify("1e-99999999999", value), CellKind::number);
  EXPECT_EQ(classify("1e99999999999"), CellKind::too_large);
  EXPECT_EQ(classify("1" + std::string(400, '0')), CellKind::too_large);
  EXPECT_EQ(classify("1" + std::string(400, '0') + "e-390", value), CellKind::number);
  EXPECT_EQ(value, 1e10);
  EXPECT_EQ(classify("1e"), CellKind::text);
  EXPECT_EQ(classify("+"), CellKind::text);
  EXPECT_EQ(classify("."), CellKind::text);
  EXPECT_EQ(classify("1 2"), CellKind::text);
  EXPECT_EQ(classify("nano"), CellKind::text);
  EXPECT_EQ(classify("nan(1)"), CellKind::missing);
  EXPECT_EQ(classify("5."), CellKind::number);
}

TEST_F(Csv, NumbersAreReadAsTheyAreWritten) {
  const NumberFormat german{',', '.'}, english{'.', ','};
  double value = 0;
  EXPECT_EQ(german.read("1.234.567,5", value), CellKind::number);
  EXPECT_EQ(value, 1234567.5);
  EXPECT_EQ(german.read("-0,25", value), CellKind::number);
  EXPECT_EQ(value, -0.25);
  EXPECT_EQ(english.read("1,234", value), CellKind::number);
  EXPECT_EQ(value, 1234);
  // Marks that are not between thousands are no marks.
  for (const char* cell : {"1.23,5", "12.34", ".123", "1..234"}) {
    EXPECT_EQ(german.read(cell), CellKind::text) << cell;
  }
  EXPECT_EQ(NumberFormat({',', '\0'}).read("1.5"), CellKind::text);
  EXPECT_EQ(german.read("NA"), CellKind::missing);
  EXPECT_TRUE(has_thousands("1,234.5"));
  // As spreadsheets write blanks between thousands, and the apostrophe.
  const NumberFormat french{',', ' '}, swiss{'.', '\''};
  for (const char* blank : {" ", "\xC2\xA0", "\xE2\x80\xAF", "\xE2\x80\x89"}) {
    EXPECT_EQ(french.read("67" + std::string(blank) + "210,8", value), CellKind::number);
    EXPECT_EQ(value, 67210.8);
  }
  EXPECT_EQ(swiss.read("67\xE2\x80\x99"
                       "210.8",
                       value),
            CellKind::number);
  EXPECT_EQ(value, 67210.8);
  EXPECT_EQ(french.read("67\xC3\xA9"
                        "210",
                        value),
            CellKind::text);
  EXPECT_EQ(format_with_thousands("1.234.567,5").thousands, '.');
  EXPECT_EQ(format_with_thousands("1 234,5").decimal, ',');
  EXPECT_EQ(format_with_thousands("1'234.5").thousands, '\'');
  for (const char* cell : {"1234.5", "12 34", "A 123", "", "NA"}) {
    EXPECT_FALSE(has_thousands(cell)) << cell;
  }
  EXPECT_FALSE(has_thousands("1,5"));
}

TEST_F(Csv, ColumnsOfRowNumbersAreNoFeatures) {
  EXPECT_EQ(read("cell_id,a,b\n10,1,2\n11,3,4\n12,5,6\n").row_names, (Names{"10", "11", "12"}));
  EXPECT_EQ(read("a,Unnamed: 0,b\n1,0,2\n3,1,4\n5,2,6\n").column_names, (Names{"a", "b"}));
  // Shuffled, where the name leaves no doubt.
  EXPECT_EQ(read("Cell ID,a,b\n12,1,2\n10,3,4\n11,5,6\n").row_names, (Names{"12", "10", "11"}));
  EXPECT_EQ(read("a,Event #,b\n1,7,2\n3,1,4\n5,2,6\n").column_names, (Names{"a", "b"}));
  EXPECT_EQ(read("a,event,b\n1,7,2\n3,8,4\n5,9,6\n").column_names, (Names{"a", "b"}));
  // Twice the same, not ascending, the last, or without such a name: a feature like others.
  EXPECT_EQ(read("a,cell_id,b\n1,5,2\n3,5,4\n5,2,6\n").cols(), 3U);
  EXPECT_EQ(read("a,index,b\n1,5,2\n3,1,4\n5,2,6\n").cols(), 3U);
  EXPECT_EQ(read("a,b,id\n1,2,0\n3,4,1\n5,6,2\n").cols(), 3U);
  EXPECT_EQ(read("a,dose,b\n1,0,2\n3,1,4\n5,2,6\n").cols(), 3U);
}

TEST_F(Csv, NumberedGroupsAreLabels) {
  EXPECT_EQ(read("a,cluster,b\n1,0,2\n3,1,4\n5,0,6\n").column_names, (Names{"a", "b"}));
  EXPECT_EQ(read("a,b,Cell Type\n1,2,0\n3,4,1\n5,6,0\n").column_names, (Names{"a", "b"}));
  // Measurements, numbers that never come twice, other names, and what is asked for: features.
  EXPECT_EQ(read("a,cluster,b\n1,0.5,2\n3,1,4\n5,0.5,6\n").cols(), 3U);
  EXPECT_EQ(read("a,label,b\n1,3,2\n3,1,4\n5,2,6\n").cols(), 3U);
  EXPECT_EQ(read("a,dose,b\n1,0,2\n3,1,4\n5,0,6\n").cols(), 3U);
}

TEST_F(Csv, FailedFormulasAreMissingValues) {
  for (const char* cell : {"#DIV/0!", "#VALUE!", "#REF!", "#N/A", "#NUM!"}) {
    EXPECT_EQ(classify(cell), CellKind::missing) << cell;
  }
  EXPECT_EQ(classify("#DIV/0"), CellKind::text);
}

}  // namespace
}  // namespace geotherm
