import { type MigrationInterface } from 'typeorm';
import { InitialSchema1764892800000 } from './0001-initial-schema.js';

export type MigrationClass = new () => MigrationInterface & { readonly name: string };

/**
 * In order of application. A released migration is never edited; a change of the schema is a new one. It must leave the
 * version before it working. One that cannot has a name that begins with `Breaking`; older versions then refuse the
 * database.
 */
export const MIGRATIONS: readonly MigrationClass[] = [InitialSchema1764892800000];
