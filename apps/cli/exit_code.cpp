#include "exit_code.hpp"

#include <fmt/core.h>

#include <new>

#include "command.hpp"
#include "core/platform.hpp"
#include "flag_names.hpp"
#include "geotherm/core.hpp"

namespace geotherm::cli {

void say(std::string_view message) {
  std::size_t begin = 0;
  while (begin <= message.size()) {
    const std::size_t end = std::min(message.find('\n', begin), message.size());
    fmt::print(stderr, "geotherm: {}\n", in_flags(message.substr(begin, end - begin)));
    begin = end + 1;
  }
}

int exit_code_of(const std::function<int()>& run) {
  detail::platform::report_file_size_limit_as_error();
  try {
    return run();
  } catch (const InvalidData& e) {
    say(e.what());
    return failure;
  } catch (const InvalidArgument& e) {
    say(e.what());
    return misuse;
  } catch (const Stopped& e) {
    say(e.what());
    return interrupted;
  } catch (const std::bad_alloc&) {
    say("not enough memory for this many points: try fewer rows");
    return failure;
  } catch (const std::exception& e) {
    say(e.what());
    return failure;
  }
}

}  // namespace geotherm::cli
