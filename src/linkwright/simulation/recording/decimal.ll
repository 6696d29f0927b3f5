%struct.Power = type { i64, i64, i64, i64 }

@.str = private unnamed_addr constant [4 x i8] c"nan\00", align 1
@.str.1 = private unnamed_addr constant [4 x i8] c"inf\00", align 1

define i64 @write_numbers(ptr nocapture noundef readonly %0, i64 noundef %1, i64 noundef %2, i64 noundef %3, ptr nocapture noundef readonly %4, ptr nocapture noundef %5) local_unnamed_addr #0 {
  %7 = alloca [17 x i8], align 16
  %8 = load ptr, ptr %5, align 8
  %9 = icmp slt i64 %1, %2
  br i1 %9, label %10, label %293

10:
  %11 = phi ptr [ %291, %285 ], [ %8, %6 ]
  %12 = phi i64 [ %287, %285 ], [ %1, %6 ]
  %13 = getelementptr inbounds double, ptr %0, i64 %12
  %14 = load i64, ptr %13, align 8
  %15 = and i64 %14, 4503599627370495
  %16 = lshr i64 %14, 52
  %17 = and i64 %16, 2047
  %18 = icmp eq i64 %17, 2047
  br i1 %18, label %19, label %36

19:
  %20 = icmp eq i64 %15, 0
  %21 = and i64 %14, -9218868437227405313
  %22 = icmp eq i64 %21, -9223372036854775808
  br i1 %22, label %23, label %25

23:
  %24 = getelementptr inbounds i8, ptr %11, i64 1
  store i8 45, ptr %11, align 1
  br label %25

25:
  %26 = phi ptr [ %11, %19 ], [ %24, %23 ]
  %27 = select i1 %20, ptr @.str.1, ptr @.str
  br label %28

28:
  %29 = phi i64 [ 0, %25 ], [ %34, %28 ]
  %30 = phi ptr [ %26, %25 ], [ %33, %28 ]
  %31 = getelementptr inbounds i8, ptr %27, i64 %29
  %32 = load i8, ptr %31, align 1
  %33 = getelementptr inbounds i8, ptr %30, i64 1
  store i8 %32, ptr %30, align 1
  %34 = add nuw nsw i64 %29, 1
  %35 = icmp eq i64 %34, 3
  br i1 %35, label %285, label %28

36:
  %37 = icmp sgt i64 %14, -1
  br i1 %37, label %40, label %38

38:
  %39 = getelementptr inbounds i8, ptr %11, i64 1
  store i8 45, ptr %11, align 1
  br label %40

40:
  %41 = phi ptr [ %39, %38 ], [ %11, %36 ]
  %42 = or i64 %17, %15
  %43 = icmp eq i64 %42, 0
  br i1 %43, label %44, label %46

44:
  %45 = getelementptr inbounds i8, ptr %41, i64 1
  store i8 48, ptr %41, align 1
  br label %285

46:
  %47 = icmp eq i64 %17, 0
  %48 = or disjoint i64 %15, 4503599627370496
  %49 = add nsw i64 %17, -1075
  %50 = select i1 %47, i64 -1074, i64 %49
  %51 = select i1 %47, i64 %15, i64 %48
  %52 = add nsw i64 %50, 63
  %53 = tail call range(i64 0, 65) i64 @llvm.ctlz.i64(i64 %51, i1 true)
  %54 = sub nsw i64 %52, %53
  %55 = mul nsw i64 %54, 78913
  %56 = ashr i64 %55, 18
  %57 = sub nsw i64 309, %56
  %58 = getelementptr inbounds %struct.Power, ptr %4, i64 %57
  %59 = getelementptr inbounds i8, ptr %58, i64 16
  %60 = load i64, ptr %59, align 8
  %61 = add nsw i64 %60, %50
  %62 = add i64 %61, 65
  %63 = icmp ult i64 %62, -125
  br i1 %63, label %293, label %64

64:
  %65 = sub nuw nsw i64 -64, %61
  %66 = zext nneg i64 %51 to i128
  %67 = load i64, ptr %58, align 8
  %68 = zext i64 %67 to i128
  %69 = mul nuw nsw i128 %68, %66
  %70 = getelementptr inbounds i8, ptr %58, i64 8
  %71 = load i64, ptr %70, align 8
  %72 = zext i64 %71 to i128
  %73 = mul nuw nsw i128 %72, %66
  %74 = lshr i128 %73, 64
  %75 = add nuw nsw i128 %74, %69
  %76 = trunc i128 %73 to i64
  %77 = zext nneg i64 %65 to i128
  %78 = lshr i128 %75, %77
  %79 = shl nsw i128 -1, %77
  %80 = xor i128 %79, -1
  %81 = and i128 %75, %80
  %82 = sub nuw nsw i64 -65, %61
  %83 = zext nneg i64 %82 to i128
  %84 = shl nuw nsw i128 1, %83
  %85 = getelementptr inbounds i8, ptr %58, i64 24
  %86 = load i64, ptr %85, align 8
  %87 = icmp eq i64 %86, 0
  br i1 %87, label %97, label %88

88:
  %89 = icmp ugt i128 %81, %84
  br i1 %89, label %104, label %90

90:
  %91 = icmp eq i128 %81, %84
  br i1 %91, label %92, label %104

92:
  %93 = icmp ne i64 %76, 0
  %94 = and i128 %78, 1
  %95 = icmp ne i128 %94, 0
  %96 = select i1 %93, i1 true, i1 %95
  br label %104

97:
  %98 = icmp eq i128 %81, %84
  %99 = add nsw i128 %84, -1
  %100 = icmp eq i128 %81, %99
  %101 = select i1 %98, i1 true, i1 %100
  br i1 %101, label %293, label %102

102:
  %103 = icmp ugt i128 %81, %84
  br label %104

104:
  %105 = phi i1 [ %103, %102 ], [ true, %88 ], [ false, %90 ], [ %96, %92 ]
  %106 = icmp ult i128 %78, 9223372036854775808
  br i1 %106, label %107, label %293

107:
  %108 = zext i1 %105 to i64
  %109 = trunc nuw i128 %78 to i64
  %110 = add nuw i64 %108, %109
  %111 = icmp ugt i64 %110, 99999999999999999
  br i1 %111, label %112, label %166

112:
  %113 = add nsw i64 %56, 1
  %114 = sub nsw i64 308, %56
  %115 = getelementptr inbounds %struct.Power, ptr %4, i64 %114
  %116 = getelementptr inbounds i8, ptr %115, i64 16
  %117 = load i64, ptr %116, align 8
  %118 = add nsw i64 %117, %50
  %119 = add i64 %118, 65
  %120 = icmp ult i64 %119, -125
  br i1 %120, label %293, label %121

121:
  %122 = sub nuw nsw i64 -64, %118
  %123 = load i64, ptr %115, align 8
  %124 = zext i64 %123 to i128
  %125 = mul nuw nsw i128 %124, %66
  %126 = getelementptr inbounds i8, ptr %115, i64 8
  %127 = load i64, ptr %126, align 8
  %128 = zext i64 %127 to i128
  %129 = mul nuw nsw i128 %128, %66
  %130 = lshr i128 %129, 64
  %131 = add nuw nsw i128 %130, %125
  %132 = trunc i128 %129 to i64
  %133 = zext nneg i64 %122 to i128
  %134 = lshr i128 %131, %133
  %135 = shl nsw i128 -1, %133
  %136 = xor i128 %135, -1
  %137 = and i128 %131, %136
  %138 = sub nuw nsw i64 -65, %118
  %139 = zext nneg i64 %138 to i128
  %140 = shl nuw nsw i128 1, %139
  %141 = getelementptr inbounds i8, ptr %115, i64 24
  %142 = load i64, ptr %141, align 8
  %143 = icmp eq i64 %142, 0
  br i1 %143, label %153, label %144

144:
  %145 = icmp ugt i128 %137, %140
  br i1 %145, label %160, label %146

146:
  %147 = icmp eq i128 %137, %140
  br i1 %147, label %148, label %160

148:
  %149 = icmp ne i64 %132, 0
  %150 = and i128 %134, 1
  %151 = icmp ne i128 %150, 0
  %152 = select i1 %149, i1 true, i1 %151
  br label %160

153:
  %154 = icmp eq i128 %137, %140
  %155 = add nsw i128 %140, -1
  %156 = icmp eq i128 %137, %155
  %157 = select i1 %154, i1 true, i1 %156
  br i1 %157, label %293, label %158

158:
  %159 = icmp ugt i128 %137, %140
  br label %160

160:
  %161 = phi i1 [ %159, %158 ], [ true, %144 ], [ false, %146 ], [ %152, %148 ]
  %162 = trunc i128 %134 to i64
  %163 = zext i1 %161 to i64
  %164 = add i64 %163, %162
  %165 = icmp ult i128 %134, 9223372036854775808
  br i1 %165, label %166, label %293

166:
  %167 = phi i64 [ %164, %160 ], [ %110, %107 ]
  %168 = phi i64 [ %113, %160 ], [ %56, %107 ]
  %169 = add i64 %167, -100000000000000000
  %170 = icmp ult i64 %169, -90000000000000000
  br i1 %170, label %293, label %171

171:
  br label %172

172:
  %173 = phi i64 [ 16, %171 ], [ %179, %172 ]
  %174 = phi i64 [ %167, %171 ], [ %180, %172 ]
  %175 = urem i64 %174, 10
  %176 = trunc nuw nsw i64 %175 to i8
  %177 = or disjoint i8 %176, 48
  %178 = getelementptr inbounds [17 x i8], ptr %7, i64 0, i64 %173
  store i8 %177, ptr %178, align 1
  %179 = add nsw i64 %173, -1
  %180 = udiv i64 %174, 10
  %181 = icmp eq i64 %173, 0
  br i1 %181, label %182, label %172

182:
  %183 = phi i64 [ %186, %185 ], [ 17, %172 ]
  %184 = icmp ugt i64 %183, 1
  br i1 %184, label %185, label %193

185:
  %186 = add nsw i64 %183, -1
  %187 = getelementptr inbounds [17 x i8], ptr %7, i64 0, i64 %186
  %188 = load i8, ptr %187, align 1
  %189 = icmp eq i8 %188, 48
  br i1 %189, label %182, label %190

190:
  %191 = add nsw i64 %168, -17
  %192 = icmp ult i64 %191, -21
  br i1 %192, label %199, label %236

193:
  %194 = add nsw i64 %168, -17
  %195 = icmp ult i64 %194, -21
  br i1 %195, label %196, label %236

196:
  %197 = load i8, ptr %7, align 16
  %198 = getelementptr inbounds i8, ptr %41, i64 1
  store i8 %197, ptr %41, align 1
  br label %204

199:
  %200 = load i8, ptr %7, align 16
  %201 = getelementptr inbounds i8, ptr %41, i64 1
  store i8 %200, ptr %41, align 1
  %202 = getelementptr inbounds i8, ptr %41, i64 2
  store i8 46, ptr %201, align 1
  %203 = icmp sgt i64 %183, 1
  br i1 %203, label %212, label %204

204:
  %205 = phi ptr [ %202, %199 ], [ %198, %196 ], [ %217, %212 ]
  %206 = getelementptr inbounds i8, ptr %205, i64 1
  store i8 101, ptr %205, align 1
  %207 = icmp slt i64 %168, 0
  %208 = select i1 %207, i8 45, i8 43
  %209 = getelementptr inbounds i8, ptr %205, i64 2
  store i8 %208, ptr %206, align 1
  %210 = tail call i64 @llvm.abs.i64(i64 %168, i1 true)
  %211 = icmp ugt i64 %210, 99
  br i1 %211, label %220, label %225

212:
  %213 = phi i64 [ %218, %212 ], [ 1, %199 ]
  %214 = phi ptr [ %217, %212 ], [ %202, %199 ]
  %215 = getelementptr inbounds [17 x i8], ptr %7, i64 0, i64 %213
  %216 = load i8, ptr %215, align 1
  %217 = getelementptr inbounds i8, ptr %214, i64 1
  store i8 %216, ptr %214, align 1
  %218 = add nuw nsw i64 %213, 1
  %219 = icmp ult i64 %218, %183
  br i1 %219, label %212, label %204

220:
  %221 = udiv i64 %210, 100
  %222 = trunc nuw nsw i64 %221 to i8
  %223 = add nuw nsw i8 %222, 48
  %224 = getelementptr inbounds i8, ptr %205, i64 3
  store i8 %223, ptr %209, align 1
  br label %225

225:
  %226 = phi ptr [ %224, %220 ], [ %209, %204 ]
  %227 = udiv i64 %210, 10
  %228 = urem i64 %227, 10
  %229 = trunc nuw nsw i64 %228 to i8
  %230 = or disjoint i8 %229, 48
  %231 = getelementptr inbounds i8, ptr %226, i64 1
  store i8 %230, ptr %226, align 1
  %232 = urem i64 %210, 10
  %233 = trunc nuw nsw i64 %232 to i8
  %234 = or disjoint i8 %233, 48
  %235 = getelementptr inbounds i8, ptr %226, i64 2
  store i8 %234, ptr %231, align 1
  br label %281

236:
  %237 = phi i64 [ 1, %193 ], [ %183, %190 ]
  %238 = icmp slt i64 %168, 0
  br i1 %238, label %239, label %251

239:
  %240 = getelementptr inbounds i8, ptr %41, i64 1
  store i8 48, ptr %41, align 1
  %241 = getelementptr inbounds i8, ptr %41, i64 2
  store i8 46, ptr %240, align 1
  %242 = icmp eq i64 %168, -1
  br i1 %242, label %251, label %243

243:
  %244 = xor i64 %168, -1
  br label %245

245:
  %246 = phi i64 [ %248, %245 ], [ %244, %243 ]
  %247 = phi ptr [ %249, %245 ], [ %241, %243 ]
  %248 = add nsw i64 %246, -1
  %249 = getelementptr inbounds i8, ptr %247, i64 1
  store i8 48, ptr %247, align 1
  %250 = icmp ugt i64 %246, 1
  br i1 %250, label %245, label %251

251:
  %252 = phi ptr [ %41, %236 ], [ %241, %239 ], [ %249, %245 ]
  %253 = icmp sgt i64 %237, 0
  %254 = add nsw i64 %168, 1
  br i1 %253, label %255, label %257

255:
  %256 = icmp sgt i64 %168, -1
  br label %267

257:
  %258 = phi ptr [ %252, %251 ], [ %278, %274 ]
  %259 = sub i64 %254, %237
  %260 = icmp sgt i64 %259, 0
  br i1 %260, label %261, label %283

261:
  %262 = phi i64 [ %264, %261 ], [ %259, %257 ]
  %263 = phi ptr [ %265, %261 ], [ %258, %257 ]
  %264 = add nsw i64 %262, -1
  %265 = getelementptr inbounds i8, ptr %263, i64 1
  store i8 48, ptr %263, align 1
  %266 = icmp ugt i64 %262, 1
  br i1 %266, label %261, label %281

267:
  %268 = phi i64 [ 0, %255 ], [ %279, %274 ]
  %269 = phi ptr [ %252, %255 ], [ %278, %274 ]
  %270 = icmp eq i64 %268, %254
  %271 = and i1 %256, %270
  br i1 %271, label %272, label %274

272:
  %273 = getelementptr inbounds i8, ptr %269, i64 1
  store i8 46, ptr %269, align 1
  br label %274

274:
  %275 = phi ptr [ %273, %272 ], [ %269, %267 ]
  %276 = getelementptr inbounds [17 x i8], ptr %7, i64 0, i64 %268
  %277 = load i8, ptr %276, align 1
  %278 = getelementptr inbounds i8, ptr %275, i64 1
  store i8 %277, ptr %275, align 1
  %279 = add nuw nsw i64 %268, 1
  %280 = icmp ult i64 %279, %237
  br i1 %280, label %267, label %257

281:
  %282 = phi ptr [ %235, %225 ], [ %265, %261 ]
  br label %285

283:
  %284 = icmp eq ptr %258, null
  br i1 %284, label %293, label %285

285:
  %286 = phi ptr [ %258, %283 ], [ %282, %281 ], [ %45, %44 ], [ %33, %28 ]
  %287 = add i64 %12, 1
  %288 = srem i64 %287, %3
  %289 = icmp eq i64 %288, 0
  %290 = select i1 %289, i8 10, i8 44
  %291 = getelementptr inbounds i8, ptr %286, i64 1
  store i8 %290, ptr %286, align 1
  %292 = icmp eq i64 %287, %2
  br i1 %292, label %293, label %10

293:
  %294 = phi i64 [ %1, %6 ], [ %12, %153 ], [ %12, %112 ], [ %12, %97 ], [ %12, %46 ], [ %12, %166 ], [ %12, %160 ], [ %12, %104 ], [ %12, %283 ], [ %2, %285 ]
  %295 = phi ptr [ %8, %6 ], [ %11, %153 ], [ %11, %112 ], [ %11, %97 ], [ %11, %46 ], [ %11, %166 ], [ %11, %160 ], [ %11, %104 ], [ %11, %283 ], [ %291, %285 ]
  store ptr %295, ptr %5, align 8
  ret i64 %294
}

declare i64 @llvm.ctlz.i64(i64, i1 immarg) #2

declare i64 @llvm.abs.i64(i64, i1 immarg) #3

attributes #0 = { nofree norecurse nosync nounwind memory(write, argmem: readwrite, inaccessiblemem: none) }
attributes #1 = { mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #2 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #3 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #4 = { nounwind }
