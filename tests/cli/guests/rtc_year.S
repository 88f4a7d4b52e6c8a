/* Takes the RTC's alarm on 365 midnights. */
#define REG_B 0x20
#define COUNT 365
#include "rtc.inc"
