/* SPDX-License-Identifier: MIT
 *
 * The terminal goes back to what it was at exit, by ncurses; and at signals that end the process by bytes that were made
 * before, at once, whatever the process is waiting for. Ctrl-Z and fg are ncurses' own.
 */
#include "cli/gates/top_screen.h"

#ifdef ADMIT_HAS_CURSES

#include "native/printable.h"

#include <curses.h>
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>

static const int last_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
enum { LAST_SIGNALS = sizeof last_signals / sizeof last_signals[0] };

static FILE *keyboard;
static SCREEN *screen; /* NULL: it is not open */
static bool knows_unicode;
static struct termios as_it_was;
static char way_back[256];
static size_t way_back_length;

/* --- the way back ------------------------------------------------------------------------------------------------------- */

static int keep_byte(int byte)
{
    if (way_back_length < sizeof way_back)
        way_back[way_back_length++] = (char)byte;
    return byte;
}

static void keep_way_back(void)
{
    static const char *const capabilities[] = {"sgr0", "op", "rmkx", "cnorm", "rmcup"};
    way_back_length = 0;
    for (unsigned c = 0; c < sizeof capabilities / sizeof capabilities[0]; c++) {
        const char *text = tigetstr((char *)(uintptr_t)capabilities[c]);
        if (text != NULL && text != (char *)-1)
            tputs(text, 1, keep_byte);
    }
}

/* Not that of another, to whom it belongs while this process is in the background. */
static void leave_and_die(int signal_number)
{
    const int error = errno;
    if (screen != NULL && tcgetpgrp(STDOUT_FILENO) == getpgrp()) {
        if (write(STDOUT_FILENO, way_back, way_back_length) < 0)
            errno = error; /* it has gone away: there is nobody to tell */
        tcsetattr(STDOUT_FILENO, TCSANOW, &as_it_was);
    }
    signal(signal_number, SIG_DFL);
    raise(signal_number);
    errno = error;
}

/* One that was ignored stays so: that is how nohup asks. */
static void catch_last_signals(void)
{
    for (unsigned s = 0; s < LAST_SIGNALS; s++) {
        struct sigaction action = {.sa_handler = leave_and_die}, before;
        sigfillset(&action.sa_mask);
        sigaction(last_signals[s], NULL, &before);
        if (before.sa_handler != SIG_IGN)
            sigaction(last_signals[s], &action, NULL);
    }
}

/* --- open, close ---------------------------------------------------------------------------------------------------------- */

/* What is linked statically finds no locale but those of its own libc; that of C has the same characters as any with UTF-8. */
static void learn_characters(void)
{
    const char *const said[] = {getenv("LC_ALL"), getenv("LC_CTYPE"), getenv("LANG")};
    const char *wanted = "";
    for (unsigned s = 0; s < 3 && wanted[0] == '\0'; s++)
        wanted = said[s] != NULL ? said[s] : "";
    if (setlocale(LC_CTYPE, "") == NULL && (strstr(wanted, "UTF-8") != NULL || strstr(wanted, "utf8") != NULL))
        setlocale(LC_CTYPE, "C.UTF-8");
    knows_unicode = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

static const char *why_not_here(void)
{
    static char why[128];
    char name[40];
    const char *terminal = getenv("TERM");
    int error;
    if (terminal == NULL || terminal[0] == '\0')
        return "TERM is not set";
    admit_printable(terminal, name, sizeof name);
    if (setupterm(NULL, STDOUT_FILENO, &error) != OK) {
        snprintf(why, sizeof why, "nothing is known of the terminal '%s'", name);
        return why;
    }
    const bool moves = tigetstr((char *)(uintptr_t) "cup") != NULL;
    del_curterm(cur_term);
    snprintf(why, sizeof why, "the terminal '%s' cannot move its cursor", name);
    return moves ? NULL : why;
}

static void choose_colours(void)
{
    const char *no_colour = getenv("NO_COLOR");
    if ((no_colour != NULL && no_colour[0] != '\0') || !has_colors() || start_color() != OK ||
        use_default_colors() != OK)
        return;
    init_pair(ROW_HEADING, COLOR_CYAN, -1);
    init_pair(ROW_ILL, COLOR_YELLOW, -1);
    init_pair(ROW_HARM, COLOR_RED, -1);
}

/* To read what is known of a terminal ncurses needs 32 KiB of it, and more. */
static bool has_stack(void)
{
    const rlim_t least = 256 << 10;
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= least)
        return true;
    limit.rlim_cur = least;
    if (limit.rlim_max < least)
        limit.rlim_max = least;
    return setrlimit(RLIMIT_STACK, &limit) == 0;
}

const char *screen_open(void)
{
    if (!has_stack())
        return "the stack is too small for a screen";
    const char *why = why_not_here();
    if (why != NULL)
        return why;
    learn_characters();
    keyboard = isatty(STDIN_FILENO) ? stdin : fopen("/dev/tty", "re");
    if (keyboard == NULL)
        return "there is no keyboard";
    tcgetattr(STDOUT_FILENO, &as_it_was);
    screen = newterm(NULL, stdout, keyboard);
    if (screen == NULL)
        return "the terminal cannot be used";
    keep_way_back();
    atexit(screen_close);
    catch_last_signals();
    choose_colours();
    cbreak();
    noecho();
    nodelay(stdscr, TRUE);
    keypad(stdscr, TRUE);
    set_escdelay(25);
    curs_set(0);
    return NULL;
}

void screen_close(void)
{
    if (screen == NULL)
        return;
    endwin();
    delscreen(screen);
    screen = NULL;
}

/* --- rows ------------------------------------------------------------------------------------------------------------------- */

void screen_size(unsigned *width, unsigned *height)
{
    *width = COLS > 0 ? (unsigned)COLS : 0;
    *height = LINES > 0 ? (unsigned)LINES : 0;
}

static attr_t attributes_of(enum row_style style)
{
    static const attr_t attributes[] = {[ROW_TITLE] = A_REVERSE, [ROW_HEADING] = A_UNDERLINE, [ROW_GATE] = A_BOLD,
                                        [ROW_ILL] = A_NORMAL,    [ROW_HARM] = A_NORMAL,       [ROW_KEYS] = A_REVERSE};
    const short pair = style == ROW_HEADING || style == ROW_ILL || style == ROW_HARM ? (short)style : 0;
    const bool is_coloured = pair != 0 && has_colors() && pair < COLOR_PAIRS && COLORS > 0;
    return attributes[style] | (is_coloured ? COLOR_PAIR(pair) : 0);
}

void screen_put(void *context, unsigned y, enum row_style style, const char *text)
{
    (void)context;
    attrset(attributes_of(style));
    move((int)y, 0);
    clrtoeol();
    if (knows_unicode) {
        addstr(text);
    } else {
        for (; *text != '\0'; text++)
            if ((*text & 0x80) == 0 || (*text & 0xc0) == 0xc0)
                addch((chtype)((*text & 0x80) == 0 ? *text : '?'));
    }
    attrset(A_NORMAL);
}

void screen_show(void)
{
    refresh();
}

/* --- keys ------------------------------------------------------------------------------------------------------------------- */

static enum page_key key_of(int code)
{
    static const struct {
        int code;
        enum page_key key;
    } keys[] = {{'k', PAGE_UP_ROW},
                {KEY_UP, PAGE_UP_ROW},
                {'j', PAGE_DOWN_ROW},
                {KEY_DOWN, PAGE_DOWN_ROW},
                {KEY_PPAGE, PAGE_UP_SCREEN},
                {KEY_NPAGE, PAGE_DOWN_SCREEN},
                {KEY_HOME, PAGE_FIRST},
                {'g', PAGE_FIRST},
                {KEY_END, PAGE_LAST},
                {'G', PAGE_LAST},
                {'\t', PAGE_NEXT_GATE},
                {KEY_RIGHT, PAGE_NEXT_GATE},
                {KEY_BTAB, PAGE_PREVIOUS_GATE},
                {KEY_LEFT, PAGE_PREVIOUS_GATE},
                {'\r', PAGE_ALONE},
                {'\n', PAGE_ALONE},
                {KEY_ENTER, PAGE_ALONE},
                {'p', PAGE_PAUSE},
                {' ', PAGE_PAUSE},
                {'h', PAGE_HELP},
                {'?', PAGE_HELP},
                {'q', PAGE_QUIT},
                {'Q', PAGE_QUIT},
                {'\f', PAGE_REDRAW},
                {KEY_RESIZE, PAGE_REDRAW}};
    for (unsigned k = 0; k < sizeof keys / sizeof keys[0]; k++)
        if (keys[k].code == code)
            return keys[k].key;
    return PAGE_OTHER_KEY;
}

/* A terminal that can be read, and has nothing to be read, has gone away. */
enum page_key screen_key(int milliseconds)
{
    struct pollfd ready = {.fd = fileno(keyboard), .events = POLLIN};
    const int code = getch();
    if (code != ERR)
        return key_of(code);
    if (poll(&ready, 1, milliseconds) <= 0)
        return getch() == KEY_RESIZE ? PAGE_REDRAW : PAGE_NO_KEY;
    const int pressed = getch();
    return pressed != ERR ? key_of(pressed) : PAGE_QUIT;
}

#else

const char *screen_open(void)
{
    return "this admit was built without ncurses (Debian: libncurses-dev)";
}

void screen_close(void)
{
}

void screen_size(unsigned *width, unsigned *height)
{
    *width = *height = 0;
}

void screen_put(void *context, unsigned y, enum row_style style, const char *text)
{
    (void)context, (void)y, (void)style, (void)text;
}

void screen_show(void)
{
}

enum page_key screen_key(int milliseconds)
{
    (void)milliseconds;
    return PAGE_QUIT;
}

#endif
