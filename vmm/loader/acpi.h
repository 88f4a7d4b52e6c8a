/* The machine's ACPI tables, as firmware would leave them in the BIOS area. */
#ifndef TICKVM_LOADER_ACPI_H
#define TICKVM_LOADER_ACPI_H

#include "loader.h"

/* Writes all tables at MAP_ACPI_BASE, the RSDP first. RAM reaches to MAP_ACPI_END at least. */
void acpi_build(const struct acpi_config *config, const struct ram *ram);

#endif
