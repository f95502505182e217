import { ApiProperty } from '@nestjs/swagger';
import { type IndexDifferences, type VerifyReport } from '@core/domain';
import { ApiCount, ApiText, NULLABLE } from '../http/api-fields.js';
import { PathSampleDto } from './path-sample.dto.js';

const NONE = { example: 0 };

class IndexDifferencesDto implements IndexDifferences {
  @ApiProperty({ description: 'In the tree, and not in the manifest.', type: PathSampleDto })
  files_missing!: PathSampleDto;

  @ApiProperty({ description: 'In the manifest with another content or mode.', type: PathSampleDto })
  files_stale!: PathSampleDto;

  @ApiProperty({ description: 'In the manifest, and not in the tree.', type: PathSampleDto })
  files_extra!: PathSampleDto;

  @ApiProperty({ description: 'Failed in the last sync.', type: PathSampleDto })
  files_failed!: PathSampleDto;

  @ApiCount('Points that should be there.', NONE)
  points_missing!: number;

  @ApiCount('Points of a path or version that the manifest does not speak of.', NONE)
  points_stale!: number;

  @ApiCount('Further points for a chunk that has its own.', NONE)
  points_doubled!: number;

  @ApiCount('Points whose text is not the one that they were stored with.', NONE)
  points_changed!: number;

  @ApiProperty({ description: 'The files of all these points.', type: PathSampleDto })
  points_in!: PathSampleDto;
}

class IndexCheckDto extends IndexDifferencesDto {
  @ApiText('The commit compared with; null before the first sync came to its end.', '8f2c1e0d', NULLABLE)
  commit!: string | null;

  @ApiProperty({ description: 'The index is exactly the tree at that commit.', type: Boolean, example: true })
  is_equal!: boolean;

  @ApiCount('Rows of the manifest compared with the tree.')
  files_checked!: number;

  @ApiCount('Points compared with the manifest.', { example: 57 })
  points_checked!: number;
}

/** How the index differs from the tree at the commit that it was brought to. */
export class VerifyReportDto extends IndexCheckDto implements VerifyReport {
  @ApiProperty({ description: 'What this is.', enum: ['verify'] })
  kind!: 'verify';

  @ApiProperty({
    description: 'What a second look found after the repair; null when nothing was repaired.',
    type: IndexCheckDto,
    nullable: true,
  })
  after_repair!: IndexCheckDto | null;
}
