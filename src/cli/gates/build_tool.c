/* SPDX-License-Identifier: MIT */
#include "cli/gates/build_tool.h"

#include "cli/gates/makeflags.h"
#include "cli/gates/option_words.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static bool begins(const char *word, const char *with)
{
    return strncmp(word, with, strlen(with)) == 0;
}

static const char *name_of(const char *word)
{
    const char *slash = strrchr(word, '/');
    return slash != NULL ? slash + 1 : word;
}

/* --- the tools ------------------------------------------------------------------------------------------------------ */

struct tool {
    const char *name;
    struct option_table options; /* as far as they have values in words of their own */
    const char *jobs;            /* the long form of -j; NULL: it has none */
    const char *only_after;      /* there is a -j only after this word; NULL: everywhere */
    bool fifo;
};

#define MAKES_OPTIONS                                                                                                  \
    {                                                                                                                  \
        "C:E:I:O::W:f:l::o:bmBdehikLnpqrRsStvw",                                                                       \
            "directory= eval= file= makefile= include-dir= old-file= assume-old= what-if= new-file= assume-new= "      \
            "jobserver-auth= jobserver-fds= jobserver-style= sync-mutex= load-average max-load output-sync debug "     \
            "shuffle always-make environment-overrides help ignore-errors keep-going no-keep-going stop "              \
            "check-symlink-times just-print dry-run recon print-data-base question no-builtin-rules "                  \
            "no-builtin-variables silent quiet no-silent touch trace version print-directory no-print-directory "      \
            "warn-undefined-variables warn"                                                                            \
    }

static const struct tool tools[] = {
    {"make", MAKES_OPTIONS, "--jobs", NULL, false},
    {"gmake", MAKES_OPTIONS, "--jobs", NULL, false},
    {"gnumake", MAKES_OPTIONS, "--jobs", NULL, false},
    {"ninja", {"C:d:f:k:l:t:w:", ""}, NULL, NULL, true},
    {"ninja-build", {"C:d:f:k:l:t:w:", ""}, NULL, NULL, true},
    {"samu", {"C:d:f:k:l:t:w:", ""}, NULL, NULL, true},
    {"cargo", {"C:F:Z:p:", ""}, "--jobs", NULL, false},
    {"cmake", {"t:", ""}, "--parallel", "--build", false},
    {"meson", {"C:", ""}, "--jobs", "compile", true},
};

static const struct tool *tool_of(const char *word)
{
    for (unsigned t = 0; word != NULL && t < sizeof tools / sizeof tools[0]; t++)
        if (strcmp(name_of(word), tools[t].name) == 0)
            return &tools[t];
    return NULL;
}

static bool is_make(const struct tool *tool)
{
    return strcmp(tool->options.shorts, tools[0].options.shorts) == 0;
}

/* Some know it by its beginning: "--job". What they do not know they refuse. */
static bool is_long(const char *word, const char *name)
{
    enum { SHORTEST = 3 };
    const size_t length = strcspn(word, "=");
    return length >= SHORTEST && strncmp(word, name, length) == 0;
}

static bool says_jobs(const char *word, const struct tool *tool)
{
    if (begins(word, "--ninja-args=") && strstr(word, "-j") != NULL)
        return true;
    if (begins(word, "--"))
        return begins(word, "--jobserver-") || (tool->jobs != NULL && is_long(word, tool->jobs));
    return word[0] == '-' && jobs_among(word + 1, tool->options.shorts) != NULL;
}

/* A variable that takes the place of what this process says there, or adds to it: make takes each of its own signs, with
 * blanks around them. */
static bool is_flags_with_jobs(const char *word)
{
    static const char *const names[] = {"MAKEFLAGS", "GNUMAKEFLAGS"};
    static const char level[] = "CMAKE_BUILD_PARALLEL_LEVEL=";
    word += strspn(word, " \t");
    if (begins(word, level))
        return word[sizeof level - 1] != '\0';
    for (unsigned n = 0; n < sizeof names / sizeof names[0]; n++) {
        if (!begins(word, names[n]))
            continue;
        const char *value = word + strlen(names[n]);
        value += strspn(value, " \t");
        value += strspn(value, ":+?!");
        if (*value == '=')
            return makeflags_have_jobs(value + 1);
    }
    return false;
}

/* What comes after "--" is for the tool that cmake starts, and for others no option; but to make still a variable. */
static const char *tool_says_jobs(char *const *words)
{
    const struct tool *tool = tool_of(words[0]);
    bool counts = tool->only_after == NULL, options = true;
    for (words++; *words != NULL; words++) {
        const char *word = *words;
        if (!counts) {
            counts = strcmp(word, tool->only_after) == 0;
        } else if (options && strcmp(word, "--") == 0) {
            if (strcmp(tool->name, "cmake") == 0)
                tool = &tools[0];
            else if (!is_make(tool))
                return NULL;
            else
                options = false;
        } else if (is_flags_with_jobs(word) || (options && says_jobs(word, tool))) {
            return word;
        } else if (options && word[0] == '-' && words[1] != NULL) {
            const struct option_word option = read_option(word, &tool->options);
            const bool hides_end = option.reads == VALUE_MAY_NEXT && is_make(tool) && strcmp(words[1], "--") == 0;
            words += option.reads == VALUE_IS_NEXT || hides_end;
        }
    }
    return NULL;
}

/* Whichever of these words is the command. */
static const char *any_says_jobs(char *const *words)
{
    const char *jobs = NULL;
    for (; *words != NULL && jobs == NULL; words++)
        jobs = is_flags_with_jobs(*words) ? *words : tool_of(*words) != NULL ? tool_says_jobs(words) : NULL;
    return jobs;
}

/* --- commands that run another ------------------------------------------------------------------------------------- */

struct starter {
    const char *name;
    struct option_table options;
    unsigned arguments; /* before the command */
};

static const struct starter starters[] = {
    {"env",
     {"0iu:C:S:va:", "ignore-environment null unset= chdir= split-string= block-signal default-signal ignore-signal "
                     "list-signal-handling debug argv0="},
     0},
    {"nice", {"0123456789n:", "adjustment="}, 0},
    {"ionice", {"c:n:p:P:u:t", "class= classdata= pid= pgid= uid= ignore"}, 0},
    {"nohup", {"", ""}, 0},
    {"setsid", {"cfw", "ctty fork wait"}, 0},
    {"stdbuf", {"i:o:e:", "input= output= error="}, 0},
    {"timeout", {"fk:ps:v", "kill-after= signal= preserve-status foreground verbose"}, 1},
    {"time", {"af:o:pqv", "append format= output= portability quiet verbose"}, 0},
    {"chrt",
     {"abdefimoprRT:P:D:v", "all-tasks batch deadline ext fifo idle max other pid reset-on-fork rr sched-runtime= "
                            "sched-period= sched-deadline= verbose"},
     1},
    {"taskset", {"apc", "all-tasks pid cpu-list"}, 1},
    {"flock",
     {"sexnuoFw:E:", "shared exclusive unlock nonblocking nonblock nb timeout= wait= conflict-exit-code= close no-fork "
                     "verbose fcntl"},
     1},
    {"setpriv",
     {"d", "dump nnp no-new-privs ambient-caps= inh-caps= bounding-set= ruid= euid= rgid= egid= reuid= regid= "
           "clear-groups keep-groups init-groups groups= list-caps securebits= pdeathsig= ptracer= selinux-label= "
           "apparmor-profile= landlock-access= landlock-rule= seccomp-filter= reset-env"},
     0},
    {"prlimit",
     {"p:o:c::d::e::f::i::l::m::n::q::r::s::t::u::v::x::y::",
      "pid= output= noheadings raw verbose core data nice fsize sigpending memlock rss nofile msgqueue rtprio stack "
      "cpu "
      "nproc as locks rttime"},
     0},
    {"fakeroot", {"l:f:i:s:ub:", "lib= faked= unknown-is-real fd-base="}, 0},
    {"unshare",
     {"muinpCTUfrcR:w:S:G:l:",
      "mount uts ipc net pid user cgroup time fork map-user= map-group= map-root-user map-current-user map-auto "
      "map-users= map-groups= kill-child mount-proc mount-binfmt propagation= setgroups= keep-caps root= wd= setuid= "
      "setgid= monotonic= boottime= load-interp="},
     0},
    {"strace",
     {"a:Ab:cCdDe:E:fFiI:kno:O:p:P:qrs:S:tTu:U:vwxX:yYzZ",
      "columns= output-append-mode detach-on= summary-only summary debug daemonize env= follow-forks "
      "output-separately interruptible= instruction-pointer stack-traces syscall-number output= "
      "summary-syscall-overhead= attach= trace-path= quiet relative-timestamps string-limit= summary-sort-by= "
      "absolute-timestamps syscall-times user= summary-columns= no-abbrev summary-wall-clock strings-in-hex "
      "const-print-style= decode-fds decode-pids= successful-only failed-only trace= signal= status= abbrev= verbose= "
      "raw= read= write= kvm= inject= fault= seccomp-bpf tips"},
     0},
    {"bear", {"o:", "output= append config= force-preload force-wrapper verbose cdb="}, 0},
};

static const struct starter *starter_of(const char *word)
{
    for (unsigned s = 0; s < sizeof starters / sizeof starters[0]; s++)
        if (strcmp(name_of(word), starters[s].name) == 0)
            return &starters[s];
    return NULL;
}

static bool is_known(const char *word)
{
    return word != NULL && (tool_of(word) != NULL || starter_of(word) != NULL);
}

static bool is_env(const struct starter *starter)
{
    return starter == &starters[0];
}

static bool is_string_for_shell(const struct starter *starter, const char *word)
{
    return strcmp(starter->name, "flock") == 0 && (strcmp(word, "-c") == 0 || strcmp(word, "--command") == 0);
}

/* The words of env when those of the string stand where its option was. */
static char *const *with_split(const char *string, char *const *rest)
{
    char **split = split_command(&string, false);
    size_t some = 0, more = 0;
    while (split[some] != NULL)
        some++;
    while (rest[more] != NULL)
        more++;
    char **words = keep_words((some + more + 1) * sizeof *words);
    memcpy(words, split, some * sizeof *words);
    memcpy(words + some, rest, (more + 1) * sizeof *words);
    return words;
}

/* What is known of a command line: the command in it, and what says a number of jobs before it. */
struct reading {
    char *const *command;
    const char *jobs;
};

/* Where it cannot be told which word is the command, it is each of them. */
static void doubt(struct reading *reading, char *const *words)
{
    if (reading->jobs == NULL)
        reading->jobs = any_says_jobs(words);
}

static void read_string_for_shell(struct reading *reading, const char *line)
{
    while (line != NULL && *line != '\0')
        doubt(reading, split_command(&line, true));
}

/* Past one option of a starter, with its value. */
static char *const *past_option(struct reading *reading, char *const *words, const struct starter *starter)
{
    const struct option_word option = read_option(*words, &starter->options);
    if (is_env(starter) && (option.letter == 'S' || begins(option.name, "split-string"))) {
        if (option.value != NULL)
            return with_split(option.value, words + 1);
        return words[1] != NULL ? with_split(words[1], words + 2) : words + 1;
    }
    words++;
    if (option.reads == VALUE_MAY_NEXT)
        doubt(reading, words);
    const bool seems_value = !is_known(words[0]) && words[0] != NULL && is_known(words[1]);
    const bool takes = option.reads == VALUE_IS_NEXT || (option.reads == VALUE_MAY_NEXT && seems_value);
    return takes && *words != NULL ? words + 1 : words;
}

/* An argument that has the name of a command may be one: some starters have no argument where it is of no use. */
static char *const *past_starter(struct reading *reading, char *const *words, const struct starter *starter)
{
    unsigned arguments = starter->arguments;
    bool options = true;
    for (words++; *words != NULL;) {
        const char *word = *words;
        if (options && word[0] == '-' && (word[1] != '\0' || is_env(starter))) {
            options = strcmp(word, "--") != 0;
            words = options && word[1] != '\0' ? past_option(reading, words, starter) : words + 1;
            continue;
        }
        options = false;
        if (is_env(starter) && word[0] != '=' && strchr(word, '=') != NULL) {
            if (reading->jobs == NULL && is_flags_with_jobs(word))
                reading->jobs = word;
        } else if (arguments == 0) {
            break;
        } else {
            arguments--;
            if (is_known(word))
                doubt(reading, words);
        }
        words++;
    }
    return words;
}

static struct reading read_command(char *const *words)
{
    struct reading reading = {NULL, NULL};
    const struct starter *starter;
    while (*words != NULL && (starter = starter_of(*words)) != NULL) {
        words = past_starter(&reading, words, starter);
        if (*words != NULL && is_string_for_shell(starter, *words)) {
            read_string_for_shell(&reading, words[1]);
            return reading;
        }
    }
    if (reading.jobs == NULL && *words != NULL && tool_of(*words) != NULL)
        reading.jobs = tool_says_jobs(words);
    reading.command = *words != NULL ? words : NULL;
    return reading;
}

char *const *build_command(char *const *words)
{
    return read_command(words).command;
}

const char *build_says_jobs(char *const *words)
{
    return read_command(words).jobs;
}

/* --- ninja ---------------------------------------------------------------------------------------------------------- */

/* What `cmake --build DIR` starts, the directory tells. */
static bool builds_by_ninja(char *const *words)
{
    char path[PATH_MAX];
    for (; *words != NULL && words[1] != NULL; words++) {
        if (strcmp(*words, "--build") != 0)
            continue;
        snprintf(path, sizeof path, "%s/build.ninja", words[1]);
        return access(path, F_OK) == 0;
    }
    return false;
}

bool build_needs_fifo(char *const *words)
{
    char *const *command = build_command(words);
    const struct tool *tool = command != NULL ? tool_of(command[0]) : NULL;
    return tool != NULL && (tool->fifo || (strcmp(tool->name, "cmake") == 0 && builds_by_ninja(command)));
}

/* The first line of what it prints. */
static bool ask_version(char *word, char version[64])
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    pid_t pid = fork();
    if (pid == 0) {
        dup2(ends[1], STDOUT_FILENO);
        execvp(word, (char *[]){word, "--version", NULL});
        _exit(127);
    }
    close(ends[1]);
    ssize_t length = pid > 0 ? read(ends[0], version, 63) : -1;
    char more[512];
    while (length > 0 && read(ends[0], more, sizeof more) > 0) { /* for what writes line by line, and would die of it */
    }
    close(ends[0]);
    int status = -1;
    if (pid > 0)
        waitpid(pid, &status, 0);
    if (length <= 0 || status != 0)
        return false;
    version[length] = '\0';
    version[strcspn(version, "\r\n")] = '\0';
    return true;
}

/* What else builds by ninja takes that of PATH. Kitware's builds of older ones take part, and have the word in their
 * version. */
const char *build_too_old(char *const *words, char version[64])
{
    static char ninja[] = "ninja";
    unsigned major, minor;
    if (!build_needs_fifo(words))
        return NULL;
    char *const *command = build_command(words);
    const char *name = tool_of(command[0])->name;
    const bool is_ninja = begins(name, ninja) || strcmp(name, "samu") == 0;
    if (!ask_version(is_ninja ? command[0] : ninja, version) || strstr(version, "jobserver") != NULL ||
        sscanf(version, "%u.%u", &major, &minor) != 2)
        return NULL;
    return major < 1 || (major == 1 && minor < 13) ? version : NULL;
}

const char *build_takes_no_fifo(char *const *words, char version[64])
{
    unsigned major, minor;
    char *const *command = build_command(words);
    const struct tool *tool = command != NULL ? tool_of(command[0]) : NULL;
    if (tool == NULL || strstr(tool->name, "make") == NULL || strcmp(tool->name, "cmake") == 0 ||
        !ask_version(command[0], version) || sscanf(version, "GNU Make %u.%u", &major, &minor) != 2)
        return NULL;
    return major < 4 || (major == 4 && minor < 4) ? version + strlen("GNU Make ") : NULL;
}
