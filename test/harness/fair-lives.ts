import type { Life } from './life.js';
import { Lives } from './lives.js';
import { PaidService } from './paid-service.js';
import { publishRecords } from './records.js';

/** Lives in which only happens what a test makes happen, on a service of their own with a county to read. */
export async function openFairLives(
  startsAt: Date,
  settings: Record<string, string> = {},
): Promise<{ service: PaidService; lives: Lives }> {
  const service = await PaidService.open(settings);
  service.stripe.world.areEventsListed = true;
  await publishRecords(service.db, '25017', 4000);
  const lives = await Lives.open({ db: service.db, config: service.config, random: () => 0, setWeather: () => {} }, startsAt);
  return { service, lives };
}

/** One of them, of somebody who has read at once all that is included. */
export async function openFairLife(
  startsAt: Date,
  settings: Record<string, string> = {},
): Promise<{ service: PaidService; lives: Lives; life: Life }> {
  const { service, lives } = await openFairLives(startsAt, settings);
  const life = await lives.begin('one');
  await life.read(4000);
  return { service, lives, life };
}
