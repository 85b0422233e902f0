import { County } from './counties/county.js';

/** The tables that TypeORM knows as classes. */
export const entities = [County];
