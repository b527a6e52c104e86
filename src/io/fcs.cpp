// Flow and mass cytometry files, FCS 2.0 to 3.1. In: a path. Out: one row per event, one column a
// channel, values as they are stored (no compensation, no transformation); or such a file.
#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <map>

#include "io/formats.hpp"
#include "io/input_file.hpp"

namespace geotherm::detail {
namespace {

constexpr std::size_t kHeaderSize = 58;

class FcsReader {
 public:
  explicit FcsReader(const std::string& path) : file_(path) { read_header(); }

  Observations read() {
    const std::size_t n_channels = size_of("$PAR", "number of channels");
    std::size_t begin = data_begin_, end = data_end_;
    // Above 99,999,999 bytes the header holds zeros and the text says where the data lies.
    if (begin == 0 || end == 0) {
      begin = size_of("$BEGINDATA", "start of the data");
      end = size_of("$ENDDATA", "end of the data");
    }
    if (begin > end || end >= file_.size() + 1 || n_channels == 0 ||
        n_channels > text_.size() / 4) {
      fail("its data lies outside the file, or it has no channels");
    }
    const std::string mode = value_of("$MODE");
    if (!mode.empty() && mode != "L") fail("$MODE is '" + mode + "'; only list mode (L) is read");
    const std::vector<Channel> channels = read_channels(n_channels);
    std::size_t n_bits = 0;
    for (const Channel& channel : channels) n_bits += channel.n_bytes;
    const std::size_t n_available = std::min(end + 1, file_.size()) - begin;
    std::size_t n_events = size_of("$TOT", "number of events");
    if (n_events > n_available / n_bits) {
      fail("announces " + with_commas(n_events) + " events of " + std::to_string(n_bits) +
           " bytes, but holds " + with_commas(n_available) + " bytes of data");
    }
    Observations result;
    read_values(begin, n_events, n_bits, channels, result);
    for (const Channel& channel : channels) result.table.column_names.push_back(channel.name);
    result.table.source = file_.path();
    result.table.assumed = version_ + ", values as stored";
    return result;
  }

 private:
  struct Channel {
    std::string name;
    std::size_t n_bytes = 0;
    std::uint64_t mask = ~std::uint64_t{0};  // of integers: bits that count
  };

  [[noreturn]] void fail(const std::string& what) const {
    throw IoError(file_.path() + ": " + what);
  }

  std::size_t offset_at(const std::string& header, std::size_t at) const {
    const std::string text = header.substr(at, 8);
    const std::size_t first = text.find_first_not_of(' ');
    std::size_t value = 0;
    if (first == std::string::npos) return 0;
    const auto [next, error] =
        std::from_chars(text.data() + first, text.data() + text.size(), value);
    if (error != std::errc{}) fail("its header is damaged: '" + text + "' is no offset");
    return value;
  }

  void read_header() {
    if (file_.size() < kHeaderSize) fail("is too short for a flow cytometry file");
    std::string header(kHeaderSize, '\0');
    file_.read_at(0, header.data(), header.size());
    version_ = header.substr(0, 6);
    if (version_ != "FCS2.0" && version_ != "FCS3.0" && version_ != "FCS3.1") {
      fail("is no flow cytometry file of version 2.0, 3.0 or 3.1 (it begins with '" +
           std::string(version_.begin(),
                       std::find_if_not(version_.begin(), version_.end(),
                                        [](char c) { return c >= ' ' && c <= '~'; })) +
           "')");
    }
    const std::size_t text_begin = offset_at(header, 10), text_end = offset_at(header, 18);
    data_begin_ = offset_at(header, 26);
    data_end_ = offset_at(header, 34);
    if (text_begin < kHeaderSize || text_end <= text_begin || text_end >= file_.size()) {
      fail("its header is damaged: the text segment lies outside the file");
    }
    text_.resize(text_end - text_begin + 1);
    file_.read_at(text_begin, text_.data(), text_.size());
    read_keywords();
  }

  // /key/value/key/value/ with any delimiter; a doubled one stands for itself.
  void read_keywords() {
    const char delimiter = text_[0];
    std::vector<std::string> parts(1);
    for (std::size_t at = 1; at < text_.size(); ++at) {
      if (text_[at] != delimiter) {
        parts.back() += text_[at];
      } else if (at + 1 < text_.size() && text_[at + 1] == delimiter && !parts.back().empty()) {
        parts.back() += text_[at++];
      } else {
        parts.emplace_back();
      }
    }
    for (std::size_t i = 0; i + 1 < parts.size(); i += 2) {
      std::string key = parts[i];
      for (char& c : key) {
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
      }
      keywords_[key.substr(std::min(key.find_first_not_of(" \r\n\t"), key.size()))] = parts[i + 1];
    }
  }

  // "$P3N" of channel 2.
  static std::string key_of(std::size_t channel, char what) {
    return std::string("$P").append(std::to_string(channel + 1)) + what;
  }

  std::string value_of(const std::string& key) const {
    const auto found = keywords_.find(key);
    if (found == keywords_.end()) return "";
    std::string_view text = found->second;
    const std::size_t first = text.find_first_not_of(' ');
    if (first == std::string_view::npos) return "";
    return std::string(text.substr(first, text.find_last_not_of(' ') - first + 1));
  }

  std::size_t size_of(const std::string& key, const char* what) const {
    const std::string text = value_of(key);
    std::size_t value = 0;
    const auto [next, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{}) fail(std::string("does not say its ") + what + " (" + key + ")");
    return value;
  }

  std::vector<Channel> read_channels(std::size_t n) {
    type_ = value_of("$DATATYPE");
    if (type_ != "I" && type_ != "F" && type_ != "D") {
      fail("$DATATYPE is '" + type_ + "'; integers (I), floats (F) and doubles (D) are read");
    }
    const std::string order = value_of("$BYTEORD");
    is_big_endian_ = order == "4,3,2,1" || order == "2,1" || order == "8,7,6,5,4,3,2,1";
    if (!is_big_endian_ && order != "1,2,3,4" && order != "1,2" && order != "1,2,3,4,5,6,7,8") {
      fail("$BYTEORD is '" + order + "'; 1,2,3,4 and 4,3,2,1 are read");
    }
    std::vector<Channel> channels(n);
    for (std::size_t j = 0; j < n; ++j) {
      const std::size_t n_bits = size_of(key_of(j, 'B'), "bits per value");
      const bool fits = type_ == "F"   ? n_bits == 32
                        : type_ == "D" ? n_bits == 64
                                       : n_bits % 8 == 0 && n_bits >= 8 && n_bits <= 64;
      if (!fits)
        fail(key_of(j, 'B') + " is " + std::to_string(n_bits) + ", which does not fit $DATATYPE");
      channels[j].n_bytes = n_bits / 8;
      // The marker ($PnS) says more than the detector ($PnN), where it is given and its own.
      channels[j].name = value_of(key_of(j, 'S'));
      if (channels[j].name.empty()) channels[j].name = value_of(key_of(j, 'N'));
      if (channels[j].name.empty()) channels[j].name = key_of(j, 'N');
      if (type_ == "I") {
        // Values take as many bits as the range needs; those above are noise.
        const std::size_t range = size_of(key_of(j, 'R'), "range");
        constexpr std::size_t widest = std::size_t{1} << 63;
        if (range > 0 && range <= widest) channels[j].mask = std::bit_ceil(range) - 1;
      }
    }
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t k = 0; k < j; ++k) {
        if (channels[j].name != channels[k].name) continue;
        channels[j].name += " (" + value_of(key_of(j, 'N')) + ")";
        break;
      }
    }
    return channels;
  }

  std::uint64_t bits_at(const unsigned char* p, std::size_t n) const {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < n; ++i) value = value << 8 | p[is_big_endian_ ? i : n - 1 - i];
    return value;
  }

  void read_values(std::size_t begin, std::size_t n_events, std::size_t n_bytes,
                   const std::vector<Channel>& channels, Observations& result) const {
    const std::size_t n_block = std::max<std::size_t>(1, (std::size_t{1} << 20) / n_bytes);
    std::vector<unsigned char> bytes(std::min(n_block, n_events) * n_bytes);
    const auto fill = [&](auto values, auto decode) {
      for (std::size_t first = 0; first < n_events; first += n_block) {
        const std::size_t n = std::min(n_block, n_events - first);
        file_.read_at(begin + first * n_bytes, bytes.data(), n * n_bytes);
        const unsigned char* p = bytes.data();
        for (std::size_t i = first; i < first + n; ++i) {
          for (std::size_t j = 0; j < channels.size(); ++j) {
            values(i, j) = decode(p, channels[j]);
            p += channels[j].n_bytes;
          }
        }
      }
      result.table.values = std::move(values);
    };
    const std::size_t cols = channels.size();
    if (type_ == "F") {
      fill(Matrix<float>::uninitialized(n_events, cols),
           [&](const unsigned char* p, const Channel&) {
             return std::bit_cast<float>(static_cast<std::uint32_t>(bits_at(p, 4)));
           });
    } else if (type_ == "D") {
      fill(Matrix<double>::uninitialized(n_events, cols),
           [&](const unsigned char* p, const Channel&) {
             return std::bit_cast<double>(bits_at(p, 8));
           });
    } else {
      fill(Matrix<double>::uninitialized(n_events, cols),
           [&](const unsigned char* p, const Channel& channel) {
             return static_cast<double>(bits_at(p, channel.n_bytes) & channel.mask);
           });
    }
  }

  InputFile file_;
  std::string version_;
  std::string text_;
  std::size_t data_begin_ = 0, data_end_ = 0;
  std::map<std::string, std::string> keywords_;
  std::string type_;
  bool is_big_endian_ = false;
};

}  // namespace

Observations read_fcs(const std::string& path) { return FcsReader(path).read(); }

}  // namespace geotherm::detail
