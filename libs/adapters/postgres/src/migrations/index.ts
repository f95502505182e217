import { type MigrationInterface } from 'typeorm';
import { InitialSchema1766016000000 } from './0001-initial-schema.js';

export type MigrationClass = new () => MigrationInterface & { readonly name: string };

/**
 * In order of application. A released migration is never edited; a change of the schema is a new migration,
 * and the previous version must keep working. If it cannot, the name begins with `Breaking`, and older
 * versions refuse the database.
 */
export const MIGRATIONS: readonly MigrationClass[] = [InitialSchema1766016000000];
