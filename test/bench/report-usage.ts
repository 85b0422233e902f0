import type { Usage } from './child.js';

/** Loaded before a measured script: tells its parent at the end what it has used. */
process.on('exit', () => {
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  const usage: Usage = { peakMemoryMb: maxRSS / 1024, cpuSeconds: (userCPUTime + systemCPUTime) / 1e6 };
  process.send?.(usage);
});
// The channel alone must not keep the script alive.
process.channel?.unref();
