#include "tests/bench/peers/npp.h"

#include "tests/bench/peers/library.h"

namespace weft::bench::npp {

namespace {

Functions load() {
    (void)Library({"libnppc.so.13", "libnppc.so.12"});  // the others need it
    Library filters({"libnppif.so.13", "libnppif.so.12"});
    Library conversions({"libnppidei.so.13", "libnppidei.so.12"});
    Functions f{};
    const auto find = [&](auto& function, const char* name) {
        function = filters.find<std::remove_reference_t<decltype(function)>>(name);
    };
    find(f.filter_u8[1], "nppiFilterBorder32f_8u_C1R_Ctx");
    find(f.filter_u8[2], "nppiFilterBorder32f_8u_C2R_Ctx");
    find(f.filter_u8[4], "nppiFilterBorder32f_8u_C4R_Ctx");
    find(f.filter_f32, "nppiFilterBorder_32f_C1R_Ctx");
    find(f.filter_integer_u8[1], "nppiFilterBorder_8u_C1R_Ctx");
    find(f.filter_integer_u8[4], "nppiFilterBorder_8u_C4R_Ctx");
    find(f.row_u8[1], "nppiFilterRowBorder32f_8u_C1R_Ctx");
    find(f.row_u8[4], "nppiFilterRowBorder32f_8u_C4R_Ctx");
    find(f.column_u8[1], "nppiFilterColumnBorder32f_8u_C1R_Ctx");
    find(f.column_u8[4], "nppiFilterColumnBorder32f_8u_C4R_Ctx");
    find(f.row_f32, "nppiFilterRowBorder_32f_C1R_Ctx");
    find(f.column_f32, "nppiFilterColumnBorder_32f_C1R_Ctx");
    find(f.gauss_f32, "nppiFilterGaussBorder_32f_C1R_Ctx");
    find(f.gauss_u8[1], "nppiFilterGaussBorder_8u_C1R_Ctx");
    find(f.gauss_u8[4], "nppiFilterGaussBorder_8u_C4R_Ctx");
    find(f.gauss_advanced_u8[1], "nppiFilterGaussAdvancedBorder_8u_C1R_Ctx");
    find(f.gauss_advanced_u8[4], "nppiFilterGaussAdvancedBorder_8u_C4R_Ctx");
    find(f.box_u8, "nppiFilterBoxBorder_8u_C1R_Ctx");
    find(f.box_advanced_u8, "nppiFilterBoxBorderAdvanced_8u_C1R_Ctx");
    find(f.box_buffer_bytes, "nppiFilterBoxBorderAdvancedGetDeviceBufferSize");
    find(f.sobel_u8, "nppiGradientVectorSobelBorder_8u16s_C1R_Ctx");
    f.to_u8 = conversions.find<Convert>("nppiConvert_16s8u_C1R_Ctx");
    f.why_not = filters.why_not().empty() ? conversions.why_not() : filters.why_not();
    return f;
}

}  // namespace

const Functions& functions() {
    static const Functions once = load();
    return once;
}

}  // namespace weft::bench::npp
