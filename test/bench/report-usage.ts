import { readFileSync } from 'node:fs';
import type { Usage } from './child.js';

/** Loaded before a measured script: tells its parent at the end what it has used. */
process.on('exit', () => {
  const { userCPUTime, systemCPUTime } = process.resourceUsage();
  const usage: Usage = { peakMemoryMb: peakMemoryMb(), cpuSeconds: (userCPUTime + systemCPUTime) / 1e6 };
  process.send?.(usage);
});
// The channel alone must not keep the script alive.
process.channel?.unref();

/** Linux counts what a process' parent held when it started it as the process' own, too, except in its `status`. */
function peakMemoryMb(): number {
  const status = process.platform === 'linux' ? readFileSync('/proc/self/status', 'utf8') : '';
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? process.resourceUsage().maxRSS) / 1024;
}
