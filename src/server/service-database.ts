import type { Logger } from 'pino';
import type { Config } from '../core/config.js';
import { seedCounties } from '../counties/county-codes.js';
import { type Database, type OpenOptions, openDatabase } from '../database/database.js';
import { entities } from './entities.js';

/** Opens the database with the tables of all rooms and all counties of the country. */
export const openServiceDatabase = (
  config: Pick<Config, 'databaseUrl' | 'databaseDirectUrl' | 'databaseConnections' | 'dataDir'>,
  log: Logger,
  options: Omit<OpenOptions, 'fill'> = {},
): Promise<Database> => openDatabase(config, log, entities, { ...options, fill: seedCounties });
