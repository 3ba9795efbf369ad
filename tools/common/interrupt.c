/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/interrupt.h"

#include "platform/platform.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t caught;

static void
record_signal(int number)
{
    caught = number;
}

void
interrupt_catch(void)
{
    static const int numbers[] = {SIGINT, SIGTERM};

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        ncz_sys_catch_signal(numbers[i], record_signal);
}

bool
interrupt_seen(void)
{
    return caught != 0;
}

void
interrupt_end(void)
{
    int number = (int)caught;

    if (number == 0)
        return;
    (void)signal(number, SIG_DFL);
    (void)raise(number);
}
