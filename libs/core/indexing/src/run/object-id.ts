import { createHash, type Hash } from 'node:crypto';

/** SHA-1 unless the repository was made with SHA-256: the length of an id tells. */
function startHash(kind: 'blob' | 'tree', sizeBytes: number, idLike: string): Hash {
  return createHash(idLike.length === 64 ? 'sha256' : 'sha1').update(`${kind} ${sizeBytes}\0`);
}

/** Git's own id of a blob, to prove that bytes are the ones asked for. @param idLike any id of the repository. */
export function blobIdOf(bytes: Uint8Array, idLike: string): string {
  return startHash('blob', bytes.length, idLike).update(bytes).digest('hex');
}

/** {@link blobIdOf} for bytes that come in parts: update it with each, and take its hex digest. */
export function startBlobId(sizeBytes: number, idLike: string): Hash {
  return startHash('blob', sizeBytes, idLike);
}

/** Git's own id of a folder. @param content the folder's entries as git writes them. */
export function treeIdOf(content: Uint8Array, idLike: string): string {
  return startHash('tree', content.length, idLike).update(content).digest('hex');
}
