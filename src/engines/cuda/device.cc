#include "engines/cuda/device.h"

#include <fmt/format.h>

#include "base/files/module.h"
#include "refrain/error.h"

namespace refrain {

namespace cuda {

namespace {

// Returns null, with the reason in `missing`, if there is no module.
const Module* load_module(std::string& missing) {
  const ModuleEntry module = open_module("librefrain_cuda.so", Module::kEntry);
  missing = module.missing;
  if (module.entry == nullptr) return nullptr;
  const Module* const found = reinterpret_cast<Module::Entry>(module.entry)(Module::kVersion);
  if (found == nullptr) missing = module.file + " has a different version";
  return found;
}

}  // namespace

std::optional<SketchRule> sketch_rule(const FingerprintOptions& options, std::string& why) {
  const bool tokens = options.tokenizer == TokenizerKind::words || options.tokenizer == TokenizerKind::words_nfkc ||
                      options.tokenizer == TokenizerKind::whitespace || options.tokenizer == TokenizerKind::alpha;
  if (!tokens)
    why = "`tokenizer`: the GPU knows words, words-nfkc, whitespace and alpha";
  else if (options.hash != HashKind::xxh3 && options.hash != HashKind::sdbm)
    why = "`hash`: the GPU knows xxh3 and sdbm";
  else if (options.hash == HashKind::sdbm && options.window != 1)
    why = "`hash` sdbm: the GPU takes single tokens, `window` 1";
  else if (options.window > kMaxDeviceWindow)
    why = fmt::format("`window`: the GPU takes at most {} tokens", kMaxDeviceWindow);
  else if (!options.stop_words.empty())
    why = "`stop_words`: the GPU knows none";
  else
    return SketchRule{options.tokenizer, options.hash, options.window, options.seed, options.tie_sets_bit};
  return std::nullopt;
}

std::shared_ptr<const Device> open_device(const DeviceOptions& options, bool worthwhile) {
  if (options.kind == DeviceKind::cpu) return nullptr;
  const bool must = options.kind == DeviceKind::cuda;
  if (!must && !worthwhile) return nullptr;
  std::string missing;
  const Module* const module = load_module(missing);
  const bool found = module != nullptr && !module->devices(missing).empty();
  if (found) return module->open(0);
  if (must) throw Error(Errc::unsupported, fmt::format("`device` cuda: {}; use `device` cpu", missing));
  return nullptr;
}

}  // namespace cuda

std::vector<std::string_view> device_names() {
  return {"cpu", "cuda", "auto"};
}

DeviceList devices() {
  DeviceList list;
  if (const cuda::Module* const module = cuda::load_module(list.missing)) list.devices = module->devices(list.missing);
  return list;
}

}  // namespace refrain
