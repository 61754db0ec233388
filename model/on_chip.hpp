// What a block keeps on chip, and the budget that it must fit.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/dtype.hpp"
#include "model/units.hpp"

namespace tilemeter {

/// Where a tile lives. `global` is device memory; the others are on chip.
enum class Space { global, shared, registers };

/// One tile, or one ring of `copies` equal tiles, that a block holds on chip.
struct OnChipTile {
  std::string name;
  Space space = Space::shared;
  Count rows = 0;
  Count cols = 0;
  Count copies = 1;
  DType dtype = DType::fp16;

  Elements elements() const { return Elements(checked::multiply(checked::multiply(rows, cols), copies)); }
  Bytes bytes() const { return copies * bytes_of(rows, cols, dtype); }
  friend bool operator==(const OnChipTile&, const OnChipTile&) = default;
};

/// `sram`: one budget M for every tile on chip, as in the literature. `gpu`: shared memory and registers, each with its
/// own limit.
enum class Placement { sram, gpu };

enum class Overflowing { refused, counted };  ///< what becomes of a block that passes its budget

/// Limits of the memory on chip for one block; an absent limit is unlimited. Sizes in bytes compare bytes, a size in
/// elements compares elements.
struct Budget {
  Placement placement = Placement::sram;
  std::optional<Elements> elements{};  ///< sram only: M as a number of elements
  std::optional<Bytes> bytes{};        ///< sram: M in bytes; gpu: shared memory a block may use
  std::optional<Bytes> registers{};    ///< gpu: register file a block may use
  std::string owner{};                 ///< what sets the limits, for messages: "rtx4090", "--sram 100KiB"
  Overflowing overflowing = Overflowing::refused;

  bool limited() const { return elements || bytes || registers; }
};

/// Use of the memory on chip, by space.
struct Footprint {
  Elements elements{};
  Bytes shared{};
  Bytes registers{};
  Bytes bytes() const { return shared + registers; }
};

/// The sum over `tiles`. Throws FigureOverflow.
Footprint footprint_of(const std::vector<OnChipTile>& tiles);

/// Whether `use` is within `budget`. True when nothing is limited.
bool fits(const Footprint& use, const Budget& budget);

/// By how much `use` passes the budget: elements for a budget in elements, else bytes; zero when it fits. In the gpu
/// placement, the excess of shared memory plus that of registers.
Count overflow_of(const Footprint& use, const Budget& budget);

}  // namespace tilemeter
