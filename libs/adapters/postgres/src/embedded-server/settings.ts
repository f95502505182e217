/** Enough for Repotide's pools in one process; each slot costs memory. */
export const DEFAULT_MAX_CONNECTIONS = 60;

/**
 * Settings that differ from PostgreSQL's defaults, set on the command line so that upgrades of Repotide can
 * change them.
 */
export function serverSettings(options: {
  maxConnections: number;
  isDurable: boolean;
}): Record<string, string> {
  const durable = options.isDurable ? 'on' : 'off';
  return {
    listen_addresses: '127.0.0.1',
    // A socket's path is limited to 107 bytes, and the path of the data directory may be long.
    unix_socket_directories: '',
    max_connections: String(options.maxConnections),
    shared_buffers: '64MB',
    max_wal_size: '256MB',
    // Shared memory as files of the cluster: nothing is left in /dev/shm, which containers limit to 64 MB.
    dynamic_shared_memory_type: 'mmap',
    fsync: durable,
    full_page_writes: durable,
    synchronous_commit: durable,
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_checkpoints: 'off',
    // The log must contain no statements and no values: they hold file content.
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
  };
}
