import type { Logger } from 'pino';
import type { Config } from '../core/config.js';
import { seedCounties } from '../counties/seed-counties.js';
import { type Database, type OpenOptions, openDatabase } from '../database/database.js';
import { entities } from './entities.js';

/** The database with the tables of all rooms, and every county of the country in it. */
export const openServiceDatabase = (
  config: Pick<Config, 'databaseUrl' | 'dataDir'>,
  log: Logger,
  options: Omit<OpenOptions, 'fill'> = {},
): Promise<Database> => openDatabase(config, log, entities, { ...options, fill: seedCounties });
