// The rows of the filter list; each is defined in the file of its family.
#pragma once

#include "filters/filter.h"

namespace weft {

extern const FilterDef kBoxFilter;
extern const FilterDef kGaussianFilter;
extern const FilterDef kMotionFilter;
extern const FilterDef kDiscFilter;
extern const FilterDef kSharpenFilter;
extern const FilterDef kUnsharpFilter;
extern const FilterDef kEmbossFilter;
extern const FilterDef kHighpassFilter;
extern const FilterDef kSobelFilter;
extern const FilterDef kScharrFilter;
extern const FilterDef kPrewittFilter;
extern const FilterDef kRobertsFilter;
extern const FilterDef kLaplacianFilter;
extern const FilterDef kLogFilter;
extern const FilterDef kDogFilter;
extern const FilterDef kKirschFilter;
extern const FilterDef kRobinsonFilter;
extern const FilterDef kGaborFilter;
extern const FilterDef kFrameDifferenceFilter;
extern const FilterDef kTemporalAverageFilter;
extern const FilterDef kConvolveFilter;
extern const FilterDef kBankFilter;

}  // namespace weft
