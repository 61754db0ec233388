#include "model/closed_form/bill.hpp"

#include <string>

namespace tilemeter {
namespace {

std::string figure_of(TensorName tensor, std::string_view rest) { return std::string(name_of(tensor)).append(rest); }

}  // namespace

DType dtype_of(TensorName tensor, const Problem& problem) {
  switch (tensor) {
    case TensorName::S:
    case TensorName::P:
    case TensorName::E:
    case TensorName::Pd:
    case TensorName::dP:
    case TensorName::dS:
      return problem.score_dtype;
    case TensorName::Z:
      return DType::u8;
    case TensorName::l:
    case TensorName::m:
    case TensorName::LSE:
    case TensorName::D:
    case TensorName::dQacc:
    case TensorName::Oacc:
    case TensorName::LSEacc:
    case TensorName::part:
    case TensorName::KV:
      return problem.stat_dtype;
    case TensorName::block_table:
      return DType::i32;
    case TensorName::O:
      return problem.dtype == DType::fp8 ? problem.fp8_output : problem.dtype;
    default:
      return problem.dtype;
  }
}

DType dtype_of(TensorName tensor, const Case& point) {
  if (tensor == TensorName::W) return dtype_of(point.options.weight_type);
  return tensor == TensorName::scales ? DType::fp16 : dtype_of(tensor, point.problem);
}

DType Bill::stored_as(TensorName tensor) const {
  return tensor == read_back_ ? problem_.o_dtype : dtype_of(tensor, problem_);
}

Count Bill::over_streams(std::string_view figure, Factors factors) const {
  return named(figure, [&] {
    Wide product = problem_.streams();
    for (const Wide factor : factors) product = product * factor;
    return product.narrow();
  });
}

void Bill::read(TensorName tensor, Factors elements) {
  Traffic& traffic = work_[tensor];
  traffic.read = Elements(over_streams(figure_of(tensor, " read elements"), elements));
  traffic.read_bytes =
      named(figure_of(tensor, " read bytes"), [&] { return bytes_of(traffic.read, stored_as(tensor)); });
}

void Bill::read_rows(TensorName tensor, Factors rows, Count cols, DType type) {
  Traffic& traffic = work_[tensor];
  const std::string elements = figure_of(tensor, " read elements");
  const Count count = over_streams(elements, rows);
  traffic.read = named(elements, [&] { return Elements(checked::multiply(count, cols)); });
  traffic.read_bytes = named(figure_of(tensor, " read bytes"), [&] { return bytes_of(count, cols, type); });
}

void Bill::write(TensorName tensor, Factors elements) {
  Traffic& traffic = work_[tensor];
  traffic.write = Elements(over_streams(figure_of(tensor, " write elements"), elements));
  traffic.write_bytes =
      named(figure_of(tensor, " write bytes"), [&] { return bytes_of(traffic.write, stored_as(tensor)); });
}

void Bill::multiply_add(Factors count) {
  const Count multiply_adds = over_streams("matmul_flops", count);
  work_.matmul_flops = named("matmul_flops", [&] { return Flops(2) * multiply_adds; });
}

void Bill::score_exponentials(Factors count) { work_.exp.scores = over_streams("exp scores", count); }
void Bill::rescale_exponentials(Factors count) { work_.exp.rescale = over_streams("exp rescale", count); }
void Bill::combine_exponentials(Factors count) { work_.exp.combine = over_streams("exp combine", count); }
void Bill::tiles(Factors count) { work_.tiles = over_streams("tiles", count); }

}  // namespace tilemeter
