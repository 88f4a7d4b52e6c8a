/* Takes one alarm of the RTC, at midnight. */
#define REG_B 0x20
#define COUNT 1
#include "rtc.inc"
