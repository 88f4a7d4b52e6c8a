/* The options of a run, as the result carries them: by the names of the command line. */
#include "../config.h"
#include "json_values.h"
#include "result_parts.h"

static json_t *pin_json(const struct config *config)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < config->cpus && i < CONFIG_CPUS_MAX; i++) {
		int cpu = config->pin[i];

		json_array_append_new(array, cpu < 0 ? json_null() : json_integer(cpu));
	}
	return array;
}

static json_t *clock_steps_json(const struct config *config)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < config->clock_step_count; i++)
		json_array_append_new(array,
				      json_pack("{s:I, s:I}", "step_ns",
						(json_int_t)config->clock_steps[i].step_ns, "at_ns",
						(json_int_t)config->clock_steps[i].at_ns));
	return array;
}

json_t *options_json(const struct config *config)
{
	json_t *options, *rtc_base;

	if (!config)
		return json_null();
	options = json_object();
	rtc_base = config->rtc_base_set ? json_integer(config->rtc_base_s) : json_null();
	json_put(options, "image", json_text_if(config->image));
	json_put(options, "cmdline", json_text_if(config->cmdline));
	json_put(options, "entry", json_text_if(config->menu_entry));
	json_put(options, "cpus", json_u64(config->cpus));
	json_put(options, "mem_bytes", json_u64(config->mem_bytes));
	json_put(options, "pin", pin_json(config));
	json_put(options, "irqchip", json_string(irqchip_names[config->irqchip]));
	json_put(options, "pmtimer", json_string(pmtimer_names[config->pmtimer]));
	json_put(options, "disk", json_text_if(config->disk_path));
	json_put(options, "disk_writable", json_boolean(config->disk_writable));
	json_put(options, "pin_io",
		 config->pin_io < 0 ? json_null() : json_integer(config->pin_io));
	json_put(options, "timeout_ns", json_u64_if(config->timeout_ns > 0, config->timeout_ns));
	json_put(options, "pmtimer_width", json_u64(config->pmtimer_width));
	json_put(options, "pmtimer_start", json_u64(config->pmtimer_start));
	json_put(options, "lock", json_string(lock_names[config->lock]));
	json_put(options, "sci", json_string(sci_names[config->sci]));
	json_put(options, "rtc_base_s", rtc_base);
	json_put(options, "rtc_offset_s", json_integer(config->rtc_offset_s));
	json_put(options, "rtc_clock", json_string(rtc_clock_names[config->rtc_clock]));
	json_put(options, "rtc_driftfix", json_string(rtc_driftfix_names[config->rtc_driftfix]));
	json_put(options, "host_clock_steps", clock_steps_json(config));
	json_put(options, "timer_thread", json_string(timer_thread_names[config->timer_thread]));
	json_put(options, "raise_lock", json_string(raise_lock_names[config->raise_lock]));
	json_put(options, "virtual_time", json_boolean(config->virtual_time));
	json_put(options, "json", json_text_if(config->json_path));
	json_put(options, "verbose", json_boolean(config->verbose));
	json_put(options, "quiet", json_boolean(config->quiet));
	return options;
}
