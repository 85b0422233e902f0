import { readFileSync } from 'node:fs';

/** Loaded before a measured script, as it is: tells its parent at the end what it has used (`Usage` in test/bench/child.ts). */
process.on('exit', () => {
  const { userCPUTime, systemCPUTime } = process.resourceUsage();
  process.send?.({ peakMemoryMb: peakMemoryMb(), cpuSeconds: (userCPUTime + systemCPUTime) / 1e6 });
});
// The channel alone must not keep the script alive.
process.channel?.unref();

/** Linux counts what a process' parent held when it started it as the process' own, too, except in its `status`. */
function peakMemoryMb() {
  const status = process.platform === 'linux' ? readFileSync('/proc/self/status', 'utf8') : '';
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? process.resourceUsage().maxRSS) / 1024;
}
