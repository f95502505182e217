(module (import "e" "memory" (memory 1))
 ;; dot products of the query at q with n vectors from v on, all of len floats (a multiple of 8); the results from out on
 (func (export "dots") (param $q i32) (param $v i32) (param $n i32) (param $len i32) (param $out i32)
  (local $end i32) (local $i i32) (local $bytes i32) (local $a v128) (local $b v128)
  (local.set $bytes (i32.shl (local.get $len) (i32.const 2)))
  (local.set $end (i32.add (local.get $out) (i32.shl (local.get $n) (i32.const 2))))
  (block $done (loop $points
    (br_if $done (i32.ge_u (local.get $out) (local.get $end)))
    (local.set $i (i32.const 0)) (local.set $a (v128.const f32x4 0 0 0 0)) (local.set $b (v128.const f32x4 0 0 0 0))
    (loop $dims
      (local.set $a (f32x4.add (local.get $a) (f32x4.mul (v128.load (i32.add (local.get $q) (local.get $i))) (v128.load (i32.add (local.get $v) (local.get $i))))))
      (local.set $b (f32x4.add (local.get $b) (f32x4.mul (v128.load offset=16 (i32.add (local.get $q) (local.get $i))) (v128.load offset=16 (i32.add (local.get $v) (local.get $i))))))
      (local.set $i (i32.add (local.get $i) (i32.const 32)))
      (br_if $dims (i32.lt_u (local.get $i) (local.get $bytes))))
    (local.set $a (f32x4.add (local.get $a) (local.get $b)))
    (f32.store (local.get $out) (f32.add (f32.add (f32x4.extract_lane 0 (local.get $a)) (f32x4.extract_lane 1 (local.get $a))) (f32.add (f32x4.extract_lane 2 (local.get $a)) (f32x4.extract_lane 3 (local.get $a)))))
    (local.set $v (i32.add (local.get $v) (local.get $bytes)))
    (local.set $out (i32.add (local.get $out) (i32.const 4)))
    (br $points)))))