import type { Tone } from '../../ui/state-badge.js';

export const releaseTones: Record<string, Tone> = { current: 'good', failed: 'bad', loading: 'warning', held: 'warning' };
