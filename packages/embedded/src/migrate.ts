import { readdirSync, readFileSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { ExitError, exitCodes } from '@widget-service/shared/runtime/exit-error.ts';

const schemaDirectory = new URL('./schema/', import.meta.url);
const schemaFile = /^(\d{3})-[a-z0-9-]+\.sql$/;

/** The file was written by a newer version of the service. */
export class DatabaseTooNewError extends ExitError {
  constructor(found: number, known: number) {
    super(
      exitCodes.configuration,
      `the database has schema version ${found}, but this version of the service knows only up to ${known}: ` +
        'start the version that wrote it, or a newer one',
    );
  }
}

function schemaFiles(): string[] {
  return readdirSync(schemaDirectory)
    .filter((name) => schemaFile.test(name))
    .sort();
}

/** The schema version that this version of the service writes. */
export function knownVersion(): number {
  return schemaFiles().length;
}

/** Brings the schema up to date: `user_version` tells how many of the files in `schema/` were applied. */
export function migrate(db: DatabaseSync): void {
  const files = schemaFiles();
  const applied = Number(db.prepare('PRAGMA user_version').get()?.user_version);
  if (applied > files.length) throw new DatabaseTooNewError(applied, files.length);
  for (const [index, name] of files.entries()) {
    if (index < applied) continue;
    db.exec('BEGIN IMMEDIATE');
    try {
      db.exec(readFileSync(new URL(name, schemaDirectory), 'utf8'));
      db.exec(`PRAGMA user_version = ${index + 1}`);
      db.exec('COMMIT');
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK');
      throw error;
    }
  }
}
