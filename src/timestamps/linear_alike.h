/* SPDX-License-Identifier: MIT
 *
 * linear_alike.h - which states of an algorithm over linear.h have the same future: for the checker, which then keeps
 * one of them. Included by the algorithm, after its text, with REGISTERS_BEFORE(n): how many registers it declares
 * before those of the timestamps. Its locals have the frame of a Label as `label`, in a union with that of a Scan.
 *
 * Dead labels are dropped: they become NO_LABEL, which is no label.
 *  - SAV[j][i] is read by i only after T, while i has not come to j yet, and only if ACK[j] has i's present colour, or
 *    is about to get it from an update that has saved already. (An answer with that colour from before T would be an
 *    old one taken for a new one, which is what the colours are there to prevent.)
 *  - What i has read of LABEL[j] counts only if it then finds its colour unanswered.
 * This is not only argued, but watched: if a dropped label is about to be used after all, the state is refused, and the
 * exploration ends undecided. So one that ends otherwise has shown that none ever was: each was overwritten before
 * anybody could tell it from another. Nothing is lost then.
 *
 * Colours of a pair, scanner i and updater j, are turned until i shows 0: COL[i], ANN[j] and ACK[j] have one, and so
 * may both processes' locals. Colours are only ever compared with each other, within a pair, and a new one is sought
 * going round from another (fresh_colour). So if the same number is added to all of them, modulo 4, the same steps can
 * be taken, and lead to the same with that number added.
 *
 * First digits of all labels are turned within 3, 4, 5, until that of process 0 is 3, unless one that counts is 1 or 2.
 * Within the circle they are only compared with each other, and the next one is sought going round; nothing leads out
 * of it. The digits after the first are compared as before, and new ones begin with 1 in any room.
 *
 * None of this changes where a process stands. So the relation of a state to what is made of it is a bisimulation, and
 * every verdict counts. tests/unit/alike.c compares with all states, kept apart.
 *
 * On registers that are not atomic a value may be read that is not in its register, and faults other than a crash write
 * what the text would not write: the checker does not ask then.
 */
#ifdef ADMIT_STEPPED

enum { NO_LABEL = 0 }; /* digits begin with 1 */

/* Where a process stands in an operation, in the order of the text. */
enum stage {
    ELSEWHERE,
    VIEW_ANN,
    VIEW_ACK,
    VIEW_COL,
    VIEW_LABEL,
    VIEW_ANSWER,
    VIEW_SAV,
    LABEL_COL,
    LABEL_ANN,
    LABEL_COL_AGAIN,
    LABEL_SAV,
    LABEL_ACK,
    LABEL_LABEL,
    STAGES
};

/* STAGES for a marker of the timestamps that is not known here: the texts do not fit each other. */
static enum stage stage_at(const char *marker)
{
    static const char *const markers[STAGES] = {
        [VIEW_ANN] = "view: ANN",     [VIEW_ACK] = "view: ACK",   [VIEW_COL] = "view: COL",
        [VIEW_LABEL] = "view: LABEL", [VIEW_SAV] = "view: SAV",   [VIEW_ANSWER] = "view: answer",
        [LABEL_COL] = "Label: COL",   [LABEL_ANN] = "Label: ANN", [LABEL_COL_AGAIN] = "Label: COL again",
        [LABEL_SAV] = "Label: SAV",   [LABEL_ACK] = "Label: ACK", [LABEL_LABEL] = "Label: LABEL",
    };
    if (strncmp(marker, "view: ", 6) != 0 && strncmp(marker, "Label: ", 7) != 0)
        return ELSEWHERE;
    unsigned stage = ELSEWHERE + 1;
    while (stage < STAGES && strcmp(marker, markers[stage]) != 0)
        stage++;
    return (enum stage)stage;
}

/* What a process has of the timestamps: the frame of its Label, or of its Scan, whose view is in the same place and
 * which has zeros elsewhere; and the copies of its own registers, in the order of their declaration. */
enum { OWN_LABEL, OWN_COL, OWN_ACK };
struct stamper {
    enum stage stage;
    struct Label *frame; /* NULL if it has crashed */
    uint64_t *own;
};

struct stamps {
    unsigned n;
    uint64_t *LABEL, *SAV, *COL, *ANN, *ACK;
    struct stamper of[CHECKED_PROCESSES_MAX];
};

static struct stamps stamps_in(unsigned n, uint64_t *registers, const struct stand *stands)
{
    struct stamps stamps = {.n = n, .LABEL = registers + REGISTERS_BEFORE(n)};
    stamps.SAV = stamps.LABEL + n;
    stamps.COL = stamps.SAV + n * (n - 1);
    stamps.ANN = stamps.COL + n;
    stamps.ACK = stamps.ANN + n;
    for (unsigned i = 0; i < n; i++) {
        struct locals *locals = stands[i].locals;
        if (locals != NULL)
            stamps.of[i] = (struct stamper){stage_at(stands[i].marker), &locals->label, (uint64_t *)(locals + 1)};
    }
    return stamps;
}

/* --- dead labels -------------------------------------------------------------------------------------------------- */

static bool is_answered(const struct stamps *stamps, unsigned i, unsigned j)
{
    return colour(stamps->ACK[j], j, i) == colour(stamps->COL[i], i, j);
}

/* Updater j has saved for i, and is about to answer the colour that i shows. */
static bool will_answer(const struct stamps *stamps, unsigned i, unsigned j)
{
    const struct stamper *updater = &stamps->of[j];
    return (updater->stage == LABEL_SAV || updater->stage == LABEL_ACK) && has(updater->frame->answered, i) &&
           !has(updater->frame->todo, i) && colour(updater->frame->colours, j, i) == colour(stamps->COL[i], i, j);
}

static bool is_about_to_read_saved(const struct stamps *stamps, unsigned i, unsigned j)
{
    return stamps->of[i].stage == VIEW_SAV && stamps->of[i].frame->snap.j == j;
}

static bool may_read_saved(const struct stamps *stamps, unsigned i, unsigned j)
{
    const struct stamper *scanner = &stamps->of[i];
    bool looks = scanner->stage >= VIEW_LABEL && scanner->stage <= VIEW_SAV && has(scanner->frame->snap.todo, j);
    return is_about_to_read_saved(stamps, i, j) || (looks && (is_answered(stamps, i, j) || will_answer(stamps, i, j)));
}

static bool drop_dead_labels(struct stamps *stamps, unsigned i, unsigned j)
{
    label *saved = &stamps->SAV[j * (stamps->n - 1) + other(j, i)];
    bool saved_is_dead = !may_read_saved(stamps, i, j);
    if (saved_is_dead)
        *saved = NO_LABEL;
    else if (*saved == NO_LABEL)
        return false;
    const struct stamper *scanner = &stamps->of[i];
    if (is_about_to_read_saved(stamps, i, j)) {
        scanner->frame->snap.view[j] = NO_LABEL;
    } else if (scanner->stage == VIEW_ANSWER && scanner->frame->snap.j == j) {
        if (is_answered(stamps, i, j))
            scanner->frame->snap.view[j] = NO_LABEL;
        else if (scanner->frame->snap.view[j] == NO_LABEL)
            return false;
    }
    return true;
}

/* --- colours ------------------------------------------------------------------------------------------------------ */

/* In a row of colours by process i, that for process j. */
static void turn_colour(uint64_t *row, unsigned i, unsigned j, unsigned by)
{
    unsigned c = colour(*row, i, j);
    *row ^= coloured(c ^ ((c + by) % COLOURS), i, j);
}

static void turn_colours(struct stamps *stamps, unsigned i, unsigned j)
{
    const struct stamper *scanner = &stamps->of[i], *updater = &stamps->of[j];
    unsigned by = (COLOURS - colour(stamps->COL[i], i, j)) % COLOURS;
    turn_colour(&stamps->COL[i], i, j, by);
    turn_colour(&stamps->ANN[j], j, i, by);
    turn_colour(&stamps->ACK[j], j, i, by);
    if (scanner->frame != NULL) {
        struct weak_snap *snap = &scanner->frame->snap;
        turn_colour(&scanner->own[OWN_COL], i, j, by);
        if (scanner->stage == VIEW_ACK && snap->j == j)
            snap->announced = (number)((snap->announced + by) % COLOURS);
        if (scanner->stage >= VIEW_ANN && scanner->stage <= VIEW_COL && !has(snap->todo, j))
            turn_colour(&snap->colours, i, j, by); /* the one that it will show */
    }
    if (updater->frame != NULL) {
        struct Label *frame = updater->frame;
        turn_colour(&updater->own[OWN_ACK], j, i, by);
        bool has_read = updater->stage == LABEL_COL && !has(frame->todo, i);
        if (has_read || (updater->stage >= LABEL_ANN && updater->stage <= LABEL_ACK))
            turn_colour(&frame->colours, j, i, by);
    }
}

/* --- first digits ------------------------------------------------------------------------------------------------- */

enum { CIRCLE = 3, FIRST_IN_CIRCLE = 3 };

static bool is_in_circle(const label *a, unsigned n)
{
    return *a == NO_LABEL || digit(*a, 1, n) >= FIRST_IN_CIRCLE;
}

static void turn_first_digit(label *a, unsigned n, unsigned by)
{
    if (*a == NO_LABEL)
        return;
    unsigned d = digit(*a, 1, n), turned = FIRST_IN_CIRCLE + (d - FIRST_IN_CIRCLE + by) % CIRCLE;
    *a ^= with_digit(0, 1, d ^ turned, n);
}

/* With by = 0 only asks whether all are in the circle. */
static bool turn_all(struct stamps *stamps, unsigned by)
{
    unsigned n = stamps->n;
    bool all = true;
#define EACH(a) (by == 0 ? (void)(all = all && is_in_circle((a), n)) : turn_first_digit((a), n, by))
    for (unsigned r = 0; r < n * n; r++)
        EACH(&stamps->LABEL[r]); /* and SAV */
    for (unsigned i = 0; i < n; i++) {
        const struct stamper *stamper = &stamps->of[i];
        if (stamper->frame == NULL)
            continue;
        EACH(&stamper->own[OWN_LABEL]);
        EACH(&stamper->frame->new);
        for (unsigned j = 0; j < n; j++)
            EACH(&stamper->frame->snap.view[j]);
    }
#undef EACH
    return all;
}

/* ------------------------------------------------------------------------------------------------------------------ */

static bool linear_alike(unsigned n, unsigned k, uint64_t *registers, const struct stand *stands)
{
    (void)k;
    if (n < 2)
        return true;
    struct stamps stamps = stamps_in(n, registers, stands);
    for (unsigned i = 0; i < n; i++)
        if (stamps.of[i].stage == STAGES)
            return false;
    for (unsigned i = 0; i < n; i++)
        for (unsigned j = 0; j < n; j++) {
            if (i == j)
                continue;
            if (!drop_dead_labels(&stamps, i, j))
                return false;
            turn_colours(&stamps, i, j);
        }
    unsigned first = digit(stamps.LABEL[0], 1, n);
    if (first > FIRST_IN_CIRCLE && turn_all(&stamps, 0))
        turn_all(&stamps, FIRST_IN_CIRCLE + CIRCLE - first);
    return true;
}

#define TIMESTAMPS_ALIKE linear_alike
#else
#define TIMESTAMPS_ALIKE NULL /* for the checker only */
#endif
