/** Loaded before a measured script: tells its parent at the end how much memory it held at most. */
process.on('exit', () => process.send?.({ peakMemoryMb: process.resourceUsage().maxRSS / 1024 }));
// The channel alone must not keep the script alive.
process.channel?.unref();
