/* The RTC as a clock source. */
#ifndef TICKVM_DRIVERS_RTC_CLOCK_H
#define TICKVM_DRIVERS_RTC_CLOCK_H

void rtc_clock_register(void);

#endif
