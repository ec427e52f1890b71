/* SPDX-License-Identifier: MIT
 *
 * Goes through a run step by step. The run is in the page as JSON (page.c): of each moment what is different from the one
 * before. A step may be beyond the last: then the loop has been gone round so often.
 */
'use strict';
(() => {
    const run = JSON.parse(document.getElementById('run').textContent);
    const last = run.moments.length - 1;
    const goesRound = run.loop !== null && run.loop_end === last && run.loop < last;
    const length = goesRound ? last - run.loop : 0;
    const kinds = { '.': 'rest', d: 'way', w: 'wait', '#': 'in', e: 'out', f: 'odd', x: 'gone' };
    const byId = id => document.getElementById(id);
    let step = 0, openText = null;

    /* Everything that is so at each moment. */
    const values = [], stands = [];
    for (const moment of run.moments) {
        values.push({ ...values.at(-1), ...moment.values });
        stands.push({ ...stands.at(-1), ...moment.stands });
    }

    const momentOf = at => at <= last ? at : run.loop + 1 + (at - run.loop - 1) % length;
    const roundOf = at => goesRound && at > run.loop ? 1 + Math.floor((at - run.loop - 1) / length) : 0;

    function element(name, className, text) {
        const made = document.createElement(name);
        if (className) made.className = className;
        if (text !== undefined) made.textContent = text;
        return made;
    }

    /* --- the text ------------------------------------------------------------------------------------------------- */

    /* By text and line: the list element. */
    const lines = run.texts.map(text => {
        const byNumber = new Map();
        text.elements = text.lines.map(([number, code, change]) => {
            const line = element('li', change > 0 ? 'new' : change < 0 ? 'left' : '');
            line.append(element('span', 'badges'), element('span', 'nr', number || ''),
                element('span', 'code', (change > 0 ? '+ ' : change < 0 ? '- ' : '  ') + code));
            if (change > 0) line.title = 'the mutant has this line';
            if (change < 0) line.title = 'the mutant has this line no more';
            if (number) byNumber.set(line.dataset.number = number, line);
            return line;
        });
        return byNumber;
    });
    const lineOf = stand => stand[3] === null ? undefined : lines[stand[3]].get(stand[4]);
    /* What stands at a marker of its own is the next statement; where a loop carries the marker, that. */
    const codeIn = line => line.querySelector('.code').textContent.slice(2).trim();
    const isMarker = line => /^(AT|ASKED_AT)\("[^"]*"\)\s*(\/\*.*\*\/)?$/.test(codeIn(line));
    const lineAfter = (stand, line) => lines[stand[3]].get(Number(line.dataset.number) + 1);
    function statementOf(stand) {
        let line = lineOf(stand);
        for (let left = 3; line && left > 0 && isMarker(line); left--) line = lineAfter(stand, line);
        return line;
    }

    /* The statement in one line: as far as its brackets are closed. */
    function codeOf(stand) {
        const isOpen = code => code.split('(').length > code.split(')').length;
        let line = statementOf(stand), code = line ? codeIn(line) : '';
        for (let left = 5; line && left > 0 && isOpen(code); left--) {
            line = lineAfter(stand, line);
            if (line) code += (code.endsWith('(') ? '' : ' ') + codeIn(line);
        }
        return code;
    }

    function showText(number) {
        if (openText !== number) byId('text').replaceChildren(...run.texts[number].elements);
        openText = number;
        for (const [at, button] of [...byId('files').children].entries())
            button.setAttribute('aria-pressed', at === number);
    }

    function markText(moment) {
        for (const old of document.querySelectorAll('#text .here, #text .done')) {
            old.classList.remove('here', 'done');
            old.removeAttribute('aria-current');
        }
        for (const text of run.texts)
            for (const badges of text.badged || []) badges.replaceChildren();
        run.texts.forEach(text => { text.badged = []; });
        run.processes.forEach((name, i) => {
            const stand = stands[moment][i], line = lineOf(stand);
            if (!line) return;
            const badge = element('b', '', name[0] === 'p' ? name.split(' ')[1] : name[0] + name.split(' ')[1]);
            badge.title = name + ' stands here';
            line.querySelector('.badges').append(badge);
            line.classList.add('here');
            statementOf(stand)?.classList.add('here');
            line.setAttribute('aria-current', 'step');
            run.texts[stand[3]].badged.push(line.querySelector('.badges'));
        });
    }

    /* The line of the step that was made; at the start, that of process 0. */
    function lookAtText(moment) {
        if (run.texts.length === 0) return; /* none that admit carries */
        const made = run.moments[moment];
        const stand = moment === 0 ? stands[0][0] : stands[moment - 1][made.who];
        const line = lineOf(stand);
        for (const text of run.texts) for (const old of text.elements) old.classList.remove('done', 'here');
        if (line || openText === null) showText(line ? stand[3] : 0);
        markText(moment);
        if (!line) return;
        if (moment > 0) line.classList.add('done');
        const box = byId('text');
        const top = line.offsetTop - box.offsetTop;
        if (top < box.scrollTop + 40 || top > box.scrollTop + box.clientHeight - 60)
            box.scrollTop = top - box.clientHeight / 3;
    }

    /* --- the rest ------------------------------------------------------------------------------------------------- */

    function headings(...names) {
        const row = element('tr'), top = element('thead');
        row.append(...names.map(name => {
            const head = element('th', '', name);
            head.scope = 'col';
            return head;
        }));
        top.append(row);
        return top;
    }

    function showProcesses(moment) {
        const body = element('tbody');
        body.append(...run.processes.map((name, i) => {
            const stand = stands[moment][i], row = element('tr'), where = element('td'), next = element('td');
            if (run.moments[moment].who === i) row.className = 'stepped';
            const head = element('th', '', name);
            head.scope = 'row';
            where.append(element('span', 'sign ' + kinds[stand[0]], stand[0]), stand[1]);
            if (stand[5] !== undefined) where.append(`, slot ${stand[5]}`);
            next.append(stand[2]);
            if (codeOf(stand)) next.append(element('code', '', codeOf(stand)));
            row.append(head, where, next);
            return row;
        }));
        byId('processes').replaceChildren(headings('process', 'is in', 'stands before'), body);
    }

    function showRegisters(moment) {
        const changed = moment > 0 ? run.moments[moment].values : {};
        byId('registers').replaceChildren(...run.registers.map((name, r) => {
            const value = values[moment][r]; /* some say themselves what they are the value of */
            const item = element('li', r in changed ? 'changed' : '', value.includes('=') ? value : `${name} = ${value}`);
            if (r in changed) item.append(element('small', '', ` (was ${values[moment - 1][r]})`));
            return item;
        }));
    }

    function sayStep(moment) {
        const made = run.moments[moment], say = byId('step');
        const what = moment === 0 ? `At the start; there are ${last} step${last === 1 ? '' : 's'}.`
            : `Step ${step}${step <= last ? ` of ${last}` : ''}: ${run.processes[made.who]}, ` +
              made.label + (made.access ? ': ' + made.access : '') + '.';
        say.replaceChildren(element('span', made.fault ? 'alarm' : '', what));
        if (goesRound && step > run.loop)
            say.append(element('span', 'loop', ` Round ${roundOf(step)} of the loop` +
                (step > last ? `: step ${moment} again.` : '.')));
        if (goesRound && moment === last)
            say.append(element('span', 'loop', ` Now it is as it was after step ${run.loop}: it goes on with step ${run.loop + 1}.`));
        else if (run.shown && moment === last)
            say.append(' ', element('span', 'alarm', '\u2717 ' + run.what));
    }

    const svg = document.querySelector('#picture svg');
    const cursor = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
    cursor.setAttribute('class', 'cursor');
    cursor.setAttribute('x', 8); /* it lies upon the frame of a violation, if there is one (svg.c, draw_band) */
    cursor.setAttribute('y', -12);
    cursor.setAttribute('rx', 4);
    cursor.setAttribute('height', 24);
    cursor.setAttribute('width', svg.viewBox.baseVal.width - 16);

    function showInPicture(moment) {
        const row = byId('s' + moment), box = byId('picture');
        cursor.remove();
        if (!row) return;
        row.append(cursor);
        const top = row.transform.baseVal.getItem(0).matrix.f;
        if (top < box.scrollTop + 60 || top > box.scrollTop + box.clientHeight - 60)
            box.scrollTop = top - box.clientHeight / 2;
    }

    function go(to) {
        step = Math.max(0, goesRound ? to : Math.min(to, last));
        const moment = momentOf(step);
        byId('at').value = moment;
        byId('back').disabled = byId('first').disabled = step === 0;
        byId('on').disabled = !goesRound && step === last;
        sayStep(moment);
        byId('at').setAttribute('aria-valuetext', byId('step').textContent);
        showProcesses(moment);
        showRegisters(moment);
        lookAtText(moment);
        showInPicture(moment);
        if (location.hash !== '#step=' + step) history.replaceState(null, '', '#step=' + step);
    }

    const stepInAddress = () => Number((/^#step=(\d{1,9})$/.exec(location.hash) || [0, 0])[1]);

    byId('at').max = last;
    byId('at').addEventListener('input', event => go(Number(event.target.value)));
    const ways = { first: () => 0, back: () => step - 1, on: () => step + 1, last: () => last };
    for (const id in ways) byId(id).addEventListener('click', () => go(ways[id]()));
    const keys = { ArrowLeft: 'back', ArrowRight: 'on', Home: 'first', End: 'last' };
    document.addEventListener('keydown', event => {
        if (!(event.key in keys) || event.ctrlKey || event.altKey || event.metaKey) return;
        event.preventDefault();
        go(ways[keys[event.key]]());
    });
    svg.addEventListener('click', event => {
        const row = event.target.closest('g[id]');
        if (row) go(Number(row.id.slice(1)));
    });
    let touched = null;
    byId('now').addEventListener('touchstart', event => { touched = event.changedTouches[0]; }, { passive: true });
    byId('now').addEventListener('touchend', event => {
        const x = event.changedTouches[0].clientX - touched.clientX, y = event.changedTouches[0].clientY - touched.clientY;
        if (Math.abs(x) > 60 && Math.abs(x) > 3 * Math.abs(y) && !event.target.closest('#text')) go(step + (x < 0 ? 1 : -1));
    });
    byId('files').replaceChildren(...run.texts.map((text, number) => {
        const isChanged = text.lines.some(([, , change]) => change !== 0);
        const button = element('button', '', text.path.replace(/^(src|tests)\//, '') + (isChanged ? ' \u00b1' : ''));
        if (isChanged) button.title = 'the mutant differs here';
        button.addEventListener('click', () => { showText(number); markText(momentOf(step)); });
        return button;
    }));
    window.addEventListener('hashchange', () => go(stepInAddress()));
    go(stepInAddress());
})();
