import { readdirSync, readFileSync } from 'node:fs';

const ticksPerSecond = 100;

/** Seconds of CPU that a process and its children have used so far, those of children that have ended included. Linux only. */
export const cpuSeconds = (pid: number): number => [pid, ...childrenOf(pid)].reduce((sum, each) => sum + ownSeconds(each), 0);

export const childrenOf = (pid: number): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((child) => Number(statOf(child)[parentField]) === pid);

// Fields of /proc/PID/stat, counted after the command's name: it may hold spaces.
const parentField = 1;
const timeFields = [11, 12, 13, 14]; // utime, stime, cutime, cstime

function ownSeconds(pid: number): number {
  const stat = statOf(pid);
  return timeFields.reduce((sum, field) => sum + Number(stat[field] ?? 0), 0) / ticksPerSecond;
}

/** Empty for a process that has ended meanwhile. */
function statOf(pid: number): string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}
