import { type ComponentChildren } from 'preact';
import { type Schemas } from '../../api/schema.js';
import { useApi } from '../../state/use-load.js';

/** Names of declarations by the ids of the resources that they declare. */
export type Declarations = ReadonlyMap<string, string>;

/** The API's largest page. */
const MAX_ROWS = 500;

/** What was declared in files, of one kind or one resource. Empty while it is unknown, and for tokens with a scope. */
export function useDeclarations(
  only: { kind: Schemas['DeclaredKind'] } | { resource_id: string },
): Declarations {
  const { data } = useApi('/api/v1/declarations', { query: { ...only, limit: MAX_ROWS } });
  return new Map((data?.items ?? []).map(({ resource_id, declaration }) => [resource_id, declaration]));
}

/** Marks what `repotide apply` made. @param of stands before the mark. */
export function DeclaredMark({
  of,
  declaration,
}: {
  of: ComponentChildren;
  declaration: string | undefined;
}) {
  if (declaration === undefined) return of;
  return (
    <>
      {of}{' '}
      <span class="badge" title={`Declared in the files of “${declaration}”`}>
        <span aria-hidden="true">⛭</span> declared
      </span>
    </>
  );
}

/** The end of a confirmation; empty for what was not declared. */
export function undoneByApply(declaration: string | undefined): string {
  return declaration === undefined
    ? ''
    : ` It is declared in the files of “${declaration}”: the next “repotide apply” undoes this.`;
}

/** In a form: says where a declared resource is edited, and asks for consent to edit it here. */
export function DeclaredConsent({ declaration }: { declaration: string | undefined }) {
  if (declaration === undefined) return null;
  return (
    <div class="notice">
      <p>
        <strong>Declared in files.</strong>{' '}
        {`Edit it in the files of “${declaration}”: the next “repotide apply” undoes an edit made here.`}
      </p>
      <label class="check">
        <input type="checkbox" required /> Edit it here anyway
      </label>
    </div>
  );
}
