// The folder of a checkpoint: whole states or none, its own run or a refusal that says why.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "geotherm/checkpoint.hpp"

namespace geotherm {
namespace {

namespace fs = std::filesystem;

class CheckpointInAFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) /
              ("geotherm_checkpoint_" +
               std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder_);
    context_.on_log = [this](LogLevel, std::string_view m) { said_.emplace_back(m); };
  }
  void TearDown() override { fs::remove_all(folder_); }

  CheckpointFolder open(std::map<std::string, std::string> run = {{"knn", "10"}, {"seed", "0"}},
                        double every_s = 0) {
    return CheckpointFolder(folder_.string(), std::move(run), every_s, context_);
  }
  static void save(CheckpointFolder& kept, const std::string& stage,
                   const std::vector<std::string>& pieces) {
    std::vector<std::span<const char>> views(pieces.begin(), pieces.end());
    kept.save(stage, views);
  }
  static std::string load(CheckpointFolder& kept, const std::string& stage) {
    const auto source = kept.load(stage);
    if (!source) return "(nothing)";
    std::string all(source->n_left(), '\0');
    source->read(all.data(), all.size());
    return all;
  }
  std::string refusal(const std::map<std::string, std::string>& run) {
    try {
      open(run);
    } catch (const InvalidArgument& e) {
      return e.what();
    }
    return "(none)";
  }

  fs::path folder_;
  Context context_;
  std::vector<std::string> said_;
};

TEST_F(CheckpointInAFolder, GivesBackTheLastStateOfEachStage) {
  const std::string large(3'000'000, 'x');  // several chunks
  {
    CheckpointFolder kept = open();
    EXPECT_FALSE(kept.is_resumed());
    EXPECT_TRUE(kept.is_empty());
    save(kept, "graph", {"first"});
    EXPECT_FALSE(kept.is_empty());
    save(kept, "graph", {"sec", "", "ond"});
    save(kept, "layout", {large, "y"});
    EXPECT_EQ(load(kept, "distances"), "(nothing)");
  }
  CheckpointFolder again = open();
  EXPECT_TRUE(again.is_resumed());
  EXPECT_EQ(load(again, "graph"), "second");
  EXPECT_EQ(load(again, "layout"), large + "y");
  again.remove();
  EXPECT_FALSE(fs::exists(folder_));
  EXPECT_TRUE(said_.empty());
}

TEST_F(CheckpointInAFolder, RefusesAnotherRunAndSaysWhatDiffers) {
  open();
  EXPECT_EQ(refusal({{"knn", "10"}, {"seed", "0"}}), "(none)");
  const std::string message = refusal({{"knn", "15"}, {"seed", "0"}, {"mds", "sgd"}});
  EXPECT_NE(message.find("knn was 10 and is 15"), std::string::npos) << message;
  EXPECT_NE(message.find("mds was not given and is sgd"), std::string::npos) << message;
  EXPECT_EQ(message.find("seed"), std::string::npos) << message;
  // Of another version.
  std::ofstream(folder_ / "run.txt") << "geotherm checkpoint 1\nknn 10\nseed 0\nversion 0.0.1\n";
  EXPECT_NE(refusal({{"knn", "10"}, {"seed", "0"}}).find("version was 0.0.1"), std::string::npos);
}

TEST_F(CheckpointInAFolder, LeavesFoldersWithOtherFilesAlone) {
  fs::create_directories(folder_);
  std::ofstream(folder_ / "thesis.tex") << "years of work";
  EXPECT_NE(refusal({}).find("holds other files"), std::string::npos);
  fs::remove(folder_ / "thesis.tex");
  CheckpointFolder kept = open();
  save(kept, "graph", {"state"});
  std::ofstream(folder_ / "thesis.tex") << "years of work";
  kept.remove();
  EXPECT_TRUE(fs::exists(folder_ / "thesis.tex"));
  EXPECT_FALSE(fs::exists(folder_ / "graph.state"));
  const fs::path file = folder_ / "thesis.tex";
  EXPECT_THROW(CheckpointFolder(file.string(), {}, 0), IoError);
  EXPECT_THROW(CheckpointFolder("/proc/nowhere", {}, 0), IoError);
}

TEST_F(CheckpointInAFolder, TouchesNothingInAFolderThatItRefuses) {
  const fs::path half = folder_ / ".geotherm-123-0";
  fs::create_directories(folder_);
  std::ofstream(folder_ / "thesis.tex") << "years of work";
  std::ofstream(half) << "what another program is about to finish";
  EXPECT_NE(refusal({}).find("holds other files"), std::string::npos);
  EXPECT_TRUE(fs::exists(half));
  // A folder of another run, too; and what was there before stays when all is done.
  fs::remove(folder_ / "thesis.tex");
  CheckpointFolder kept = open();
  EXPECT_TRUE(fs::exists(half));
  EXPECT_NE(refusal({{"knn", "15"}}).find("another run"), std::string::npos);
  EXPECT_TRUE(fs::exists(half));
  kept.remove();
  EXPECT_TRUE(fs::exists(half));
}

TEST_F(CheckpointInAFolder, TakesUpNothingDamagedWhateverByteIsChangedOrWhereverItEnds) {
  const fs::path file = folder_ / "graph.state";
  CheckpointFolder kept = open();
  save(kept, "graph", {"a state of some length"});
  std::string whole;
  {
    std::ifstream in(file, std::ios::binary);
    whole.assign(std::istreambuf_iterator<char>(in), {});
  }
  const auto replace = [&](const std::string& content) {
    std::ofstream(file, std::ios::binary | std::ios::trunc) << content;
  };
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string other = whole;
    other[i] = static_cast<char>(other[i] ^ 4);
    replace(other);
    said_.clear();
    EXPECT_EQ(load(kept, "graph"), "(nothing)") << "byte " << i;
    EXPECT_EQ(said_.size(), 1U);
    replace(whole.substr(0, i));
    EXPECT_EQ(load(kept, "graph"), "(nothing)") << "cut to " << i;
  }
  replace(whole + "!");
  EXPECT_EQ(load(kept, "graph"), "(nothing)");
  replace(whole);
  EXPECT_EQ(load(kept, "graph"), "a state of some length");
}

TEST_F(CheckpointInAFolder, ForgetsWhatAKilledProcessDidNotFinish) {
  open();
  std::ofstream(folder_ / ".geotherm-123-0") << "half";
  CheckpointFolder kept = open();
  EXPECT_FALSE(kept.is_resumed());
  EXPECT_FALSE(fs::exists(folder_ / ".geotherm-123-0"));
}

TEST_F(CheckpointInAFolder, GoesOnWithoutKeepingWhereThatFails) {
  CheckpointFolder kept = open();
  fs::remove_all(folder_);
  save(kept, "graph", {"state"});
  ASSERT_EQ(said_.size(), 1U);
  EXPECT_NE(said_[0].find("nothing more is kept"), std::string::npos);
  EXPECT_FALSE(kept.is_due(1));
}

TEST_F(CheckpointInAFolder, KeepsLargeStatesLessOften) {
  CheckpointFolder eager = open();
  EXPECT_TRUE(eager.is_due(std::size_t{1} << 40));
  CheckpointFolder patient = open({{"knn", "10"}, {"seed", "0"}}, 1e-9);
  EXPECT_TRUE(patient.is_due(1));
  EXPECT_FALSE(patient.is_due(std::size_t{1} << 40));  // would take hours
  EXPECT_THROW(open({{"knn", "10"}, {"seed", "0"}}, -1), InvalidArgument);
}

}  // namespace
}  // namespace geotherm
