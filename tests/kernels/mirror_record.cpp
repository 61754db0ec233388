#include "tests/kernels/mirror_record.hpp"

#include <array>
#include <sstream>
#include <stdexcept>
#include <vector>

using namespace tilemeter;

namespace {

constexpr std::array recorded_tensors = {TensorName::Q, TensorName::K, TensorName::V, TensorName::O, TensorName::LSE};
constexpr std::array recorded_masks = {MaskKind::none, MaskKind::causal, MaskKind::causal_top_left, MaskKind::window};

MaskKind mask_called(const std::string& name) {
  for (const MaskKind kind : recorded_masks) {
    if (name_of(kind) == name) return kind;
  }
  throw std::invalid_argument("no mask is called " + name);
}

std::optional<Count> side(const std::string& text) {
  const Count value = std::stoll(text);
  return value < 0 ? std::nullopt : std::optional<Count>(value);
}

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream stream(line);
  for (std::string field; std::getline(stream, field, ',');) fields.push_back(field);
  return fields;
}

}  // namespace

std::string mirror_header() {
  std::string header =
      "kernel,batch,heads,kv_heads,seq_q,seq_k,head_dim,head_dim_v,mask,left,right,block_q,block_k,tiles";
  for (const TensorName tensor : recorded_tensors) {
    header += "," + std::string(name_of(tensor)) + "_read_elements," + std::string(name_of(tensor)) + "_write_elements";
  }
  return header;
}

std::string mirror_line(std::string_view kernel, const Case& point, const Work& work) {
  const Problem& p = point.problem;
  std::ostringstream line;
  line << kernel << ',' << p.batch << ',' << p.heads << ',' << p.kv_heads << ',' << p.seq_q << ',' << p.seq_k << ','
       << p.head_dim << ',' << p.head_dim_v << ',' << name_of(p.mask.kind) << ',' << p.mask.left.value_or(-1) << ','
       << p.mask.right.value_or(-1) << ',' << point.tiling.block_q << ',' << point.tiling.block_k << ',' << work.tiles;
  for (const TensorName tensor : recorded_tensors)
    line << ',' << work[tensor].read.value() << ',' << work[tensor].write.value();
  return line.str();
}

MirrorPoint read_mirror_line(const std::string& line) {
  const std::vector<std::string> fields = fields_of(line);
  if (fields.size() != fields_of(mirror_header()).size()) throw std::invalid_argument("not a mirror record: " + line);
  const auto number = [&](std::size_t column) { return static_cast<Count>(std::stoll(fields[column])); };
  MirrorPoint read{.kernel = fields[0], .point = {}, .work = {}};
  read.point.problem = {.batch = number(1),
                        .heads = number(2),
                        .kv_heads = number(3),
                        .seq_q = number(4),
                        .seq_k = number(5),
                        .head_dim = number(6),
                        .head_dim_v = number(7),
                        .mask = {.kind = mask_called(fields[8]), .left = side(fields[9]), .right = side(fields[10])}};
  read.point.tiling = {.block_q = number(11), .block_k = number(12)};
  read.work.tiles = number(13);
  for (std::size_t i = 0; i < recorded_tensors.size(); ++i) {
    read.work[recorded_tensors[i]].read = Elements(number(14 + 2 * i));
    read.work[recorded_tensors[i]].write = Elements(number(15 + 2 * i));
  }
  return read;
}
