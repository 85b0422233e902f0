const slowestFiles = 10;

/** Ends a run with how to run each failed test alone, the slowest files, and how many tests were skipped for what reason: the one that `onlyWith` put at the end of their titles. */
export default class ClosingReporter {
  onRunComplete(_, { testResults }) {
    const secondsOf = ({ perfStats: { start, end } }) => (end - start) / 1000;
    if (testResults.length > slowestFiles) {
      for (const result of testResults.toSorted((one, other) => secondsOf(other) - secondsOf(one)).slice(0, slowestFiles))
        process.stderr.write(`${secondsOf(result).toFixed(0)} s in ${fileOf(result.testFilePath)}\n`);
    }
    const counts = new Map();
    const tests = testResults.flatMap(({ testFilePath, testResults: ofFile }) => ofFile.map((test) => ({ ...test, testFilePath })));
    for (const { fullName, status, testFilePath } of tests) {
      if (status === 'failed') process.stderr.write(`alone: npm run --silent jest -- ${fileOf(testFilePath)} -t ${patternOf(fullName)}\n`);
      const [, reason] = /\(skipped: ([^)]+)\)/.exec(fullName) ?? [];
      if (status === 'pending' && reason) counts.set(reason, (counts.get(reason) ?? 0) + 1);
    }
    for (const [reason, count] of counts) process.stderr.write(`${count} ${count === 1 ? 'test' : 'tests'} skipped: ${reason}\n`);
  }
}

const fileOf = (path) => path.replace(/.*\/test\//, 'test/');

/** For a shell: the title as Jest's pattern. */
const patternOf = (title) => `'${title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll("'", "'\\''")}'`;
