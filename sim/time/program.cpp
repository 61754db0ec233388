#include "sim/time/program.hpp"

namespace tilemeter {

OpStream::OpStream(const RecordedLaunch& launch, const BlockInstance& block)
    : program_(&launch.programs[static_cast<std::size_t>(block.program)]),
      areas_(launch.areas.data() + block.first_area) {}

bool OpStream::next(IssuedOp& op) {
  for (;;) {
    while (depth_ > 0 && at_ == levels_[static_cast<std::size_t>(depth_ - 1)].end) {
      Level& level = levels_[static_cast<std::size_t>(depth_ - 1)];
      if (++level.iteration < level.times) {
        at_ = level.begin;
      } else {
        --depth_;
      }
    }
    if (at_ == static_cast<int>(program_->steps.size())) return false;
    const ProgramStep& step = program_->steps[static_cast<std::size_t>(at_)];
    ++at_;
    if (step.length > 0) {
      levels_[static_cast<std::size_t>(depth_++)] = {
          .begin = at_, .end = at_ + step.length, .iteration = 0, .times = step.times};
      continue;
    }
    op.step = at_ - 1;
    op.op = &step.op;
    if (step.area >= 0) {
      op.place = areas_[step.area];
      for (int loop = 0; loop < depth_; ++loop) {
        const Count iteration = levels_[static_cast<std::size_t>(loop)].iteration;
        const Move& move = step.moves[static_cast<std::size_t>(loop)];
        op.place.matrix += iteration * move.matrices;
        op.place.area.row += iteration * move.rows;
        op.place.area.col += iteration * move.cols;
      }
    }
    return true;
  }
}

}  // namespace tilemeter
