/** Says at the end of a run how many tests were skipped for what reason: the one that `onlyWith` put at the end of their titles. */
export default class SkipReporter {
  onRunComplete(_, { testResults }) {
    const counts = new Map();
    for (const { fullName, status } of testResults.flatMap(({ testResults: tests }) => tests)) {
      const [, reason] = /\(skipped: ([^)]+)\)/.exec(fullName) ?? [];
      if (status === 'pending' && reason) counts.set(reason, (counts.get(reason) ?? 0) + 1);
    }
    for (const [reason, count] of counts) process.stderr.write(`${count} ${count === 1 ? 'test' : 'tests'} skipped: ${reason}\n`);
  }
}
