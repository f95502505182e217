/** SQL of the folder of a path; empty for the root. */
export const folderSql = (path: string): string => `regexp_replace(${path}, '/?[^/]*$', '')`;

/** SQL of an index key for {@link folderSql}: a folder may be longer than an index entry. */
export const folderKeySql = (path: string): string => `hashtextextended(${folderSql(path)}, 0)`;

/** SQL of the last part of a path. */
export const fileNameSql = (path: string): string => `right(regexp_replace(${path}, '^.*/', ''), 100)`;

/** SQL of whether a file's name begins with a dot. */
export const dotFileSql = (path: string): string => `${path} ~ '(^|/)[.][^/]*$'`;
