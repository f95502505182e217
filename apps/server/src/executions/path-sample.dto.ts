import { ApiProperty } from '@nestjs/swagger';
import { SAMPLE_PATHS, type PathSample } from '@core/domain';
import { ApiCount } from '../http/api-fields.js';

export class PathSampleDto implements PathSample {
  @ApiCount('How many.', { example: 2 })
  files!: number;

  @ApiProperty({
    description: 'The first of them.',
    type: [String],
    maxItems: SAMPLE_PATHS,
    example: ['README.md', 'src/main.ts'],
  })
  first_paths!: string[];
}
