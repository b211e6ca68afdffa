#!/usr/bin/env python3
"""summarize.py LEG LOGS TESTLOG.json - counts what `meson test` ran, and shows what failed.

Each line of the test log is one program. Its counts are taken from what it printed: the plain
runner's and the shell tests' "N passed, N failed", TAP's plan and its "ok" lines (Criterion as
meson starts it), or Criterion's synthesis. A program that printed none of these counts as one
test; one that did not end well counts at least one failure.
Writes "PASSED FAILED" to LOGS/LEG.count and each failed program's output to LOGS.
"""
import json
import os
import re
import sys

PLAIN = re.compile(r'^(\d+) passed, (\d+) failed$', re.MULTILINE)
TAP_PLAN = re.compile(r'^1\.\.(\d+)$', re.MULTILINE)
TAP_PASS = re.compile(r'^ok\b(?!.*# SKIP)', re.MULTILINE)
TAP_SKIP = re.compile(r'^ok\b.*# SKIP', re.MULTILINE)
SYNTHESIS = re.compile(r'Tested: (\d+) \| Passing: (\d+) \| Failing: (\d+) \| Crashing: (\d+)')
COLOUR = re.compile(r'\x1b\[[0-9;]*m')
SHOWN_LINES = 120


def counts(run, output):
    ended_well = run['result'] == 'OK'
    plain = PLAIN.findall(output)
    synthesis = SYNTHESIS.findall(output)
    tap_plan = TAP_PLAN.findall(output)
    if plain:
        passed, failed = map(int, plain[-1])
    elif synthesis:
        tested, passed = map(int, synthesis[-1][:2])
        failed = tested - passed
    elif tap_plan:
        passed = len(TAP_PASS.findall(output))
        failed = max(int(tap_plan[-1]) - passed - len(TAP_SKIP.findall(output)), 0)
    else:
        passed, failed = (1, 0) if ended_well else (0, 1)
    if not ended_well and failed == 0:
        failed = 1
    return passed, failed


def show(leg, logs, run, output):
    name = run['name'].split(' / ')[-1]
    path = os.path.join(logs, f'{leg}.{name}.failed.log')
    with open(path, 'w', encoding='utf-8') as file:
        file.write(output)
    lines = [line for line in output.splitlines() if line and not line.startswith('ok ')]
    print(f'{leg}: {name} failed: {run["result"]}, exit status {run["returncode"]}')
    for line in lines[-SHOWN_LINES:]:
        print(f'    {line}')
    print(f'    (all of it: {path})')


def main():
    leg, logs, log = sys.argv[1:]
    total_passed = total_failed = 0
    runs = []
    if os.path.exists(log):
        with open(log, encoding='utf-8') as file:
            runs = [json.loads(line) for line in file]
    for run in runs:
        if run['result'] == 'SKIP':
            continue
        output = COLOUR.sub('', (run.get('stdout') or '') + '\n' + (run.get('stderr') or ''))
        passed, failed = counts(run, output)
        if failed:
            show(leg, logs, run, output)
        total_passed += passed
        total_failed += failed
    if total_passed + total_failed == 0:
        print(f'{leg}: no test ran; see {logs}/{leg}.test.log')
        total_failed = 1
    with open(os.path.join(logs, f'{leg}.count'), 'w', encoding='utf-8') as file:
        print(total_passed, total_failed, file=file)


main()
