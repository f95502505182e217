import { QdrantFailure } from './failure.js';

/** Aliases of collections; an alias never equals a collection's own name. */
export type Aliases = Map<string, string>;

type Named = Record<'alias_name' | 'collection_name' | 'old_alias_name' | 'new_alias_name', string>;
type Action = Partial<Record<'create_alias' | 'delete_alias' | 'rename_alias', Partial<Named>>>;

/** Applies the actions one after the other, as Qdrant does: those before a refused one stay applied. */
export function changeAliases(
  collections: ReadonlyMap<string, unknown>,
  aliases: Aliases,
  actions: readonly Action[],
): true {
  for (const { create_alias: create, delete_alias: remove, rename_alias: rename } of actions) {
    if (create) setAlias(collections, aliases, create.alias_name ?? '', create.collection_name ?? '');
    if (remove) aliases.delete(remove.alias_name ?? '');
    if (rename) {
      const target = aliases.get(rename.old_alias_name ?? '');
      if (target === undefined) throw missing(rename.old_alias_name ?? '');
      aliases.delete(rename.old_alias_name ?? '');
      aliases.set(rename.new_alias_name ?? '', target);
    }
  }
  return true;
}

export function listAliases(aliases: Aliases): { alias_name: string; collection_name: string }[] {
  return [...aliases].map(([alias_name, collection_name]) => ({ alias_name, collection_name }));
}

/** Deleting a collection also deletes its aliases. */
export function deleteAliasesOf(aliases: Aliases, collection: string): void {
  for (const [alias, target] of aliases) if (target === collection) aliases.delete(alias);
}

function setAlias(
  collections: ReadonlyMap<string, unknown>,
  aliases: Aliases,
  alias: string,
  collection: string,
): void {
  if (!collections.has(collection)) throw missing(collection);
  if (collections.has(alias)) {
    throw new QdrantFailure(409, `Wrong input: Collection \`${alias}\` already exists!`);
  }
  aliases.set(alias, collection);
}

function missing(collection: string): QdrantFailure {
  return new QdrantFailure(404, `Not found: Collection \`${collection}\` doesn't exist!`);
}
