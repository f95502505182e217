import { type Schemas } from '../../api/schema.js';
import { type Column } from '../../parts/data-table.js';
import { formatBytes, formatNumber } from '../../parts/format.js';
import { FilterForm, Select, TextField } from '../../parts/forms.js';
import { Empty, LoadableTable } from '../../parts/loadable.js';
import { linkTo, pageOf } from '../../state/route.js';
import { useApi, useSteady } from '../../state/use-load.js';

type File = Schemas['FileDto'];
type Query = Record<string, string>;

const PAGE_SIZE = 50;
const FOLDERS_SHOWN = 100;

interface FilesProps {
  repositoryId: string;
  /** The URL holds folder, search, status and page. */
  query: Query;
}

/** Folders and files of the tree as the index knows them, each file with why it is not indexed. */
export function Files({ repositoryId, query }: FilesProps) {
  const page = pageOf(query.page);
  const files = useSteady(
    useApi('/api/v1/repositories/{id}/files', {
      path: { id: repositoryId },
      query: {
        search: query.search,
        // The service rejects other values, and the page shows why.
        status: query.status as File['status'] | undefined,
        path_prefix: query.folder,
        limit: PAGE_SIZE,
        offset: page * PAGE_SIZE,
      },
    }),
  );
  const linkWith = (changes: Query) =>
    linkTo(`repositories/${repositoryId}/files`, { ...query, page: '', ...changes });
  return (
    <>
      <FilterForm label="Files" isSearch onChange={(values) => (location.hash = linkWith(values))}>
        <TextField
          label="Find a file"
          name="search"
          type="search"
          placeholder="part of its path"
          defaultValue={query.search ?? ''}
        />
        <Select
          label="Status"
          name="status"
          value={query.status}
          options={['indexed', 'skipped', 'failed'].map((name) => [name, name])}
          hasAll
        />
        <button type="submit">Find</button>
      </FilterForm>
      <Folders
        repositoryId={repositoryId}
        folder={query.folder ?? ''}
        linkToFolder={(folder) => linkWith({ folder })}
      />
      <LoadableTable
        of={files}
        empty={
          <Empty title="No files match.">
            {(query.search ?? query.status) && (
              <a href={linkWith({ search: '', status: '' })}>Show all files</a>
            )}
          </Empty>
        }
        pager={{ page, pageSize: PAGE_SIZE, linkToPage: (to) => linkWith({ page: String(to) }) }}
        caption="Files"
        keyOf={({ path }) => path}
        columns={COLUMNS}
      />
    </>
  );
}

const COLUMNS: readonly Column<File>[] = [
  { title: 'File', cell: ({ path }) => <code class="breaking">{path}</code> },
  {
    title: 'In the index',
    cell: ({ status }) => <span class={status === 'failed' ? 'bad' : ''}>{STATUS_WORDS[status]}</span>,
  },
  { title: 'Why', cell: (file) => <Why file={file} /> },
  { title: 'Language', isExtra: true, cell: ({ language }) => language },
  {
    title: 'Size',
    isNumber: true,
    isExtra: true,
    cell: ({ size_bytes }) => (size_bytes === null ? null : formatBytes(size_bytes)),
  },
  { title: 'Chunks', isNumber: true, isExtra: true, cell: ({ chunk_count }) => chunk_count },
];

const STATUS_WORDS = { indexed: 'yes', skipped: 'no', failed: 'failed' } as const;

/** Why a file is not indexed, and what changes that, in plain words. */
const SKIP_REASONS: Readonly<Record<string, string>> = {
  excluded: 'A glob of “Leave out” in the settings matches it. Change the glob to index it.',
  not_included: 'No glob of “Only files” in the settings matches it. Add one to index it.',
  ignored: 'A .repotideignore file leaves it out. Change that file in the repository.',
  generated: 'It is marked as generated, by its name, its content or .gitattributes.',
  vendored: 'It is third-party code: it is in a vendor folder, or .gitattributes says so.',
  marked_binary: 'A .gitattributes file marks it as binary.',
  secret: 'It is a file of secrets, such as a key. It is never indexed.',
  submodule: 'It is a submodule. Register its repository to index it.',
  symlink: 'It is a link. The file that it points to is indexed.',
  empty: 'It has no content.',
  binary: 'It is not text.',
  too_large: 'It is larger than “Largest file” in the settings. Raise the limit to index it.',
  lfs_pointer: 'Its content is in Git LFS.',
  minified: 'Its lines are too long for people to read, such as minified code.',
  too_costly: 'It took too long to read as text.',
  unsupported_encoding: 'Its text has an encoding that is not supported. UTF-8 is.',
};

function Why({ file }: { file: File }) {
  const { skip_reason, skip_detail, last_error, secrets_found, secret_detail } = file;
  if (last_error !== null) return <span class="bad">{last_error} The next run tries it again.</span>;
  if (skip_reason !== null) {
    return (
      <>
        <code>{skip_reason}</code> {SKIP_REASONS[skip_reason]}
        {skip_detail !== null && <div class="faint">{skip_detail}</div>}
      </>
    );
  }
  if (secrets_found === 0) return <span class="faint">–</span>;
  return <span class="faint">{`Without its ${secrets_found} secrets: ${secret_detail ?? ''}`}</span>;
}

interface FoldersProps {
  repositoryId: string;
  /** Empty: the root. */
  folder: string;
  linkToFolder: (folder: string) => string;
}

/** The way to a folder, and its subfolders. */
function Folders({ repositoryId, folder, linkToFolder }: FoldersProps) {
  const { data } = useApi('/api/v1/repositories/{id}/tree', {
    path: { id: repositoryId },
    query: { path: folder === '' ? undefined : folder, limit: FOLDERS_SHOWN },
  });
  const parts = folder.split('/').filter((part) => part !== '');
  return (
    <nav aria-label="Folders" class="folders">
      <p>
        <a href={linkToFolder('')}>all files</a>
        {parts.map((part, index) => (
          <>
            {' / '}
            <a href={linkToFolder(parts.slice(0, index + 1).join('/'))}>{part}</a>
          </>
        ))}
      </p>
      <ul>
        {data?.items.map(({ path, file_count, indexed_file_count }) => (
          <li key={path}>
            <a href={linkToFolder(path)}>{path.slice(folder === '' ? 0 : folder.length + 1)}/</a>{' '}
            <span class="faint">{`${formatNumber(indexed_file_count)} of ${formatNumber(file_count)} indexed`}</span>
          </li>
        ))}
        {data && data.total > data.items.length && (
          <li class="faint">{`${formatNumber(data.total - data.items.length)} more`}</li>
        )}
      </ul>
    </nav>
  );
}
