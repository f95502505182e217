import { ApiProperty } from '@nestjs/swagger';
import { type Certainty, type DryRunReport } from '@core/domain';
import { ApiCount, ApiText, NULLABLE } from '../http/api-fields.js';
import { PathSampleDto } from './path-sample.dto.js';

const CERTAINTY = { enum: ['exact', 'estimated'], enumName: 'Certainty' } as const;

class DryRunCertaintyDto {
  @ApiProperty({ description: 'Of `fetch_requests`.', ...CERTAINTY })
  fetch_requests!: Certainty;

  @ApiProperty({ description: 'Of `bytes_fetched`.', ...CERTAINTY })
  bytes_fetched!: Certainty;

  @ApiProperty({ description: 'Of `chunks_embedded`.', ...CERTAINTY })
  chunks_embedded!: Certainty;

  @ApiProperty({ description: 'Of `chunks_deleted`.', ...CERTAINTY })
  chunks_deleted!: Certainty;

  @ApiProperty({ description: 'Of `embedding_tokens`, and so of the cost.', ...CERTAINTY })
  embedding_tokens!: Certainty;
}

/** What a sync would do. Whatever `certainty` does not name is exact, as far as the content of files decides nothing. */
export class DryRunReportDto implements DryRunReport {
  @ApiProperty({ description: 'What this is.', enum: ['dry_run'] })
  kind!: 'dry_run';

  @ApiText('The commit that the index stands at.', '1f0e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c', NULLABLE)
  from_commit!: string | null;

  @ApiText('The commit that it would be brought to.', '8f2c1e0d9b7a6c5d4e3f2a1b0c9d8e7f6a5b4c3d')
  to_commit!: string;

  @ApiProperty({ description: 'There is nothing to do.', type: Boolean, example: false })
  is_in_sync!: boolean;

  @ApiProperty({ description: 'Files whose content would be read.', type: PathSampleDto })
  fetched!: PathSampleDto;

  @ApiProperty({
    description: 'Files whose content is in the index under another path: nothing is embedded.',
    type: PathSampleDto,
  })
  copied!: PathSampleDto;

  @ApiProperty({
    description: 'Files that are gone, former paths of renamed ones included.',
    type: PathSampleDto,
  })
  deleted!: PathSampleDto;

  @ApiProperty({
    description: 'Files that a rule leaves out by their path; what their content decides is not known yet.',
    type: PathSampleDto,
  })
  skipped!: PathSampleDto;

  @ApiProperty({
    description: 'The way that most content would be read on; null when none is needed.',
    enum: ['archive', 'graphql', 'blobs'],
    nullable: true,
    type: String,
  })
  fetch_way!: 'archive' | 'graphql' | 'blobs' | null;

  @ApiCount('Requests to GitLab that the plan took; a sync makes them too.', { example: 4 })
  plan_requests!: number;

  @ApiCount('Requests to read the content.', { example: 1 })
  fetch_requests!: number;

  @ApiCount('Bytes to read.', { example: 48_213 })
  bytes_fetched!: number;

  @ApiCount('Chunks to embed, if none of their texts is in the embedding cache.')
  chunks_embedded!: number;

  @ApiCount('Chunks that are stored under another path with the vector that they have.', { example: 0 })
  chunks_copied!: number;

  @ApiCount('Chunks that leave the index, former versions included.', { example: 0 })
  chunks_deleted!: number;

  @ApiCount('Tokens to embed, at 3 characters a token.', { example: 25_000 })
  embedding_tokens!: number;

  @ApiProperty({
    description: 'What they cost; null without `EMBEDDING_PRICE_PER_MILLION_TOKENS`.',
    type: Number,
    nullable: true,
    example: 0.0005,
  })
  embedding_cost!: number | null;

  @ApiProperty({ description: 'Which of the numbers are estimates.', type: DryRunCertaintyDto })
  certainty!: DryRunCertaintyDto;

  @ApiText(
    'How the estimates were made.',
    '3 content(s) as large as their file was before, 1 of 2310 bytes, the average of the manifest; 3 characters a token; no text found in the embedding cache',
  )
  estimated_from!: string;
}
