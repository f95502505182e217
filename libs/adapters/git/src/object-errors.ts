import { RepotideError } from '@core/domain';

export function packTooLarge(maxBytes: number): RepotideError {
  const message =
    `The packs of this run have more than ${maxBytes} bytes. The files are read through the API instead. ` +
    'Lower max_file_bytes of the repository to leave out large files.';
  return new RepotideError('invalid', 'git_pack_too_large', message);
}

export function packInvalid(cause: RepotideError): RepotideError {
  const message = `The code host sent a pack that git refuses. ${cause.message}`;
  return new RepotideError('internal', 'git_pack_invalid', message, { cause, details: cause.details });
}
