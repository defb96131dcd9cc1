// When an algorithm takes the place of what is in force.
#pragma once

namespace starling {

struct Replacement {
  // Differences below this share of the time are not worth a change, nor trials.
  static constexpr double kNoticeable = 0.02;
  // Nor are these between the two forms of one algorithm (RowForm), which often take the same.
  static constexpr double kNoticeableOfForms = 0.05;
  // So sure it has to be that the algorithm is faster than another one, or than native.
  static constexpr double kSureOfRow = 0.75;
  static constexpr double kSureOfNative = 0.9;
};

}  // namespace starling
