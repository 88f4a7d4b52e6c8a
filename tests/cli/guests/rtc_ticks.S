/* Takes 2048 periodic interrupts of the RTC, 2 s of them. */
#define REG_B 0x40
#define COUNT 2048
#include "rtc.inc"
