%struct.Shaded = type { i32, [3 x float] }

@__const.mean_color.veil = private unnamed_addr constant %struct.Shaded { i32 -1, [3 x float] zeroinitializer }, align 4
@__const.shadow_on_ground.along = private unnamed_addr constant [3 x float] [float 0.000000e+00, float 0.000000e+00, float -1.000000e+00], align 4

define void @clear_buffer(ptr nocapture noundef readonly %0) local_unnamed_addr #0 {
  %2 = getelementptr inbounds i8, ptr %0, i64 8
  %3 = load i64, ptr %2, align 8
  %4 = icmp sgt i64 %3, 0
  br i1 %4, label %5, label %8

5:
  %6 = getelementptr inbounds i8, ptr %0, i64 32
  %7 = getelementptr inbounds i8, ptr %0, i64 16
  br label %9

8:
  ret void

9:
  %10 = phi i64 [ 0, %5 ], [ %29, %26 ]
  %11 = load ptr, ptr %6, align 8
  %12 = shl nsw i64 %10, 3
  %13 = getelementptr inbounds i8, ptr %11, i64 %12
  %14 = load ptr, ptr %7, align 8
  %15 = load i64, ptr %0, align 8
  %16 = mul nsw i64 %15, %10
  %17 = getelementptr inbounds float, ptr %14, i64 %16
  %18 = load i32, ptr %13, align 4
  %19 = getelementptr inbounds i8, ptr %13, i64 4
  %20 = load i32, ptr %19, align 4
  %21 = icmp sgt i32 %18, %20
  br i1 %21, label %26, label %22

22:
  %23 = sext i32 %18 to i64
  br label %32

24:
  %25 = load i64, ptr %0, align 8
  br label %26

26:
  %27 = phi i64 [ %25, %24 ], [ %15, %9 ]
  %28 = trunc i64 %27 to i32
  store i32 %28, ptr %13, align 4
  store i32 -1, ptr %19, align 4
  %29 = add nuw nsw i64 %10, 1
  %30 = load i64, ptr %2, align 8
  %31 = icmp slt i64 %29, %30
  br i1 %31, label %9, label %8

32:
  %33 = phi i64 [ %35, %32 ], [ %23, %22 ]
  %34 = getelementptr inbounds float, ptr %17, i64 %33
  store float 0.000000e+00, ptr %34, align 4
  %35 = add nsw i64 %33, 1
  %36 = load i32, ptr %19, align 4
  %37 = sext i32 %36 to i64
  %38 = icmp slt i64 %33, %37
  br i1 %38, label %32, label %24
}

define void @widen_spans(ptr nocapture noundef readonly %0, i64 noundef %1, ptr nocapture noundef writeonly %2) local_unnamed_addr #2 {
  %4 = getelementptr inbounds i8, ptr %0, i64 8
  %5 = load i64, ptr %4, align 8
  %6 = icmp sgt i64 %5, 0
  br i1 %6, label %7, label %10

7:
  %8 = getelementptr inbounds i8, ptr %0, i64 32
  %9 = trunc i64 %1 to i32
  br label %11

10:
  ret void

11:
  %12 = phi i64 [ %5, %7 ], [ %36, %26 ]
  %13 = phi i64 [ 0, %7 ], [ %35, %26 ]
  %14 = icmp sgt i64 %13, %1
  %15 = sub nsw i64 %13, %1
  %16 = select i1 %14, i64 %15, i64 0
  %17 = add nsw i64 %13, %1
  %18 = icmp slt i64 %17, %12
  %19 = add nsw i64 %12, -1
  %20 = select i1 %18, i64 %17, i64 %19
  %21 = load i64, ptr %0, align 8
  %22 = trunc i64 %21 to i32
  %23 = icmp sgt i64 %16, %20
  br i1 %23, label %26, label %24

24:
  %25 = load ptr, ptr %8, align 8
  br label %38

26:
  %27 = phi i32 [ %22, %11 ], [ %45, %38 ]
  %28 = phi i32 [ -1, %11 ], [ %48, %38 ]
  %29 = sub nsw i32 %27, %9
  %30 = shl nuw nsw i64 %13, 1
  %31 = getelementptr inbounds i32, ptr %2, i64 %30
  store i32 %29, ptr %31, align 4
  %32 = add nsw i32 %28, %9
  %33 = or disjoint i64 %30, 1
  %34 = getelementptr inbounds i32, ptr %2, i64 %33
  store i32 %32, ptr %34, align 4
  %35 = add nuw nsw i64 %13, 1
  %36 = load i64, ptr %4, align 8
  %37 = icmp slt i64 %35, %36
  br i1 %37, label %11, label %10

38:
  %39 = phi i64 [ %16, %24 ], [ %49, %38 ]
  %40 = phi i32 [ -1, %24 ], [ %48, %38 ]
  %41 = phi i32 [ %22, %24 ], [ %45, %38 ]
  %42 = shl nsw i64 %39, 3
  %43 = getelementptr inbounds i8, ptr %25, i64 %42
  %44 = load i32, ptr %43, align 4
  %45 = tail call i32 @llvm.smin.i32(i32 %44, i32 %41)
  %46 = getelementptr inbounds i8, ptr %43, i64 4
  %47 = load i32, ptr %46, align 4
  %48 = tail call i32 @llvm.smax.i32(i32 %47, i32 %40)
  %49 = add nsw i64 %39, 1
  %50 = icmp slt i64 %39, %20
  br i1 %50, label %38, label %26
}

define void @draw_triangles(ptr nocapture noundef readonly %0, ptr nocapture noundef readonly %1, ptr nocapture noundef readonly %2, ptr nocapture noundef readonly %3, i64 noundef %4, i64 noundef %5) local_unnamed_addr #0 {
  %7 = alloca [3 x float], align 4
  %8 = alloca [3 x float], align 4
  %9 = alloca [2 x [2 x float]], align 16
  %10 = alloca [2 x [2 x float]], align 16
  %11 = alloca [2 x i32], align 8
  %12 = load i64, ptr %0, align 8
  %13 = icmp slt i64 %4, %5
  br i1 %13, label %14, label %37

14:
  %15 = getelementptr inbounds i8, ptr %0, i64 8
  %16 = load i64, ptr %15, align 8
  %17 = getelementptr inbounds i8, ptr %0, i64 40
  %18 = sitofp i64 %12 to float
  %19 = sitofp i64 %16 to float
  %20 = add nsw i64 %12, -1
  %21 = sitofp i64 %20 to float
  %22 = add nsw i64 %16, -1
  %23 = sitofp i64 %22 to float
  %24 = getelementptr inbounds i8, ptr %7, i64 4
  %25 = getelementptr inbounds i8, ptr %7, i64 8
  %26 = getelementptr inbounds i8, ptr %8, i64 4
  %27 = getelementptr inbounds i8, ptr %8, i64 8
  %28 = getelementptr inbounds i8, ptr %9, i64 4
  %29 = getelementptr inbounds i8, ptr %9, i64 8
  %30 = getelementptr inbounds i8, ptr %9, i64 12
  %31 = getelementptr inbounds i8, ptr %10, i64 4
  %32 = getelementptr inbounds i8, ptr %10, i64 8
  %33 = getelementptr inbounds i8, ptr %10, i64 12
  %34 = getelementptr inbounds i8, ptr %0, i64 32
  %35 = getelementptr inbounds i8, ptr %0, i64 16
  %36 = getelementptr inbounds i8, ptr %0, i64 24
  br label %38

37:
  ret void

38:
  %39 = phi i64 [ %4, %14 ], [ %297, %296 ]
  %40 = mul i64 %39, 12
  %41 = getelementptr inbounds i8, ptr %2, i64 %40
  %42 = load i32, ptr %41, align 4
  %43 = mul nsw i32 %42, 3
  %44 = sext i32 %43 to i64
  %45 = getelementptr inbounds float, ptr %1, i64 %44
  %46 = getelementptr i8, ptr %41, i64 4
  %47 = load i32, ptr %46, align 4
  %48 = mul nsw i32 %47, 3
  %49 = sext i32 %48 to i64
  %50 = getelementptr inbounds float, ptr %1, i64 %49
  %51 = getelementptr i8, ptr %41, i64 8
  %52 = load i32, ptr %51, align 4
  %53 = mul nsw i32 %52, 3
  %54 = sext i32 %53 to i64
  %55 = getelementptr inbounds float, ptr %1, i64 %54
  %56 = load float, ptr %50, align 4
  %57 = load float, ptr %45, align 4
  %58 = fsub float %56, %57
  %59 = getelementptr inbounds i8, ptr %55, i64 4
  %60 = load float, ptr %59, align 4
  %61 = getelementptr inbounds i8, ptr %45, i64 4
  %62 = load float, ptr %61, align 4
  %63 = fsub float %60, %62
  %64 = getelementptr inbounds i8, ptr %50, i64 4
  %65 = load float, ptr %64, align 4
  %66 = fsub float %65, %62
  %67 = load float, ptr %55, align 4
  %68 = fsub float %67, %57
  %69 = fneg float %66
  %70 = fmul float %68, %69
  %71 = tail call float @llvm.fmuladd.f32(float %58, float %63, float %70)
  %72 = tail call float @llvm.fabs.f32(float %71)
  %73 = fcmp ogt float %72, 0x3E112E0BE0000000
  br i1 %73, label %74, label %296

74:
  %75 = getelementptr inbounds i8, ptr %3, i64 %39
  %76 = load i8, ptr %75, align 1
  %77 = icmp eq i8 %76, 0
  br i1 %77, label %82, label %78

78:
  %79 = load float, ptr %17, align 8
  %80 = fmul float %71, %79
  %81 = fcmp ogt float %80, 0.000000e+00
  br i1 %81, label %296, label %82

82:
  %83 = fcmp olt float %56, %67
  %84 = select i1 %83, float %56, float %67
  %85 = fcmp olt float %57, %84
  %86 = select i1 %85, float %57, float %84
  %87 = fcmp ogt float %56, %67
  %88 = select i1 %87, float %56, float %67
  %89 = fcmp ogt float %57, %88
  %90 = select i1 %89, float %57, float %88
  %91 = fcmp olt float %65, %60
  %92 = select i1 %91, float %65, float %60
  %93 = fcmp olt float %62, %92
  %94 = select i1 %93, float %62, float %92
  %95 = fcmp ogt float %65, %60
  %96 = select i1 %95, float %65, float %60
  %97 = fcmp ogt float %62, %96
  %98 = select i1 %97, float %62, float %96
  %99 = fcmp oge float %90, 0.000000e+00
  %100 = fcmp oge float %98, 0.000000e+00
  %101 = select i1 %99, i1 %100, i1 false
  %102 = fcmp olt float %86, %18
  %103 = select i1 %101, i1 %102, i1 false
  %104 = fcmp olt float %94, %19
  %105 = select i1 %103, i1 %104, i1 false
  br i1 %105, label %106, label %296

106:
  %107 = fadd float %86, -5.000000e-01
  %108 = fcmp ogt float %107, 0.000000e+00
  %109 = select i1 %108, float %107, float 0.000000e+00
  %110 = fcmp olt float %109, %21
  %111 = select i1 %110, float %109, float %21
  %112 = fptosi float %111 to i64
  %113 = fadd float %90, 5.000000e-01
  %114 = fcmp ogt float %113, 0.000000e+00
  %115 = select i1 %114, float %113, float 0.000000e+00
  %116 = fcmp olt float %115, %21
  %117 = select i1 %116, float %115, float %21
  %118 = fptosi float %117 to i64
  %119 = fadd float %94, -5.000000e-01
  %120 = fcmp ogt float %119, 0.000000e+00
  %121 = select i1 %120, float %119, float 0.000000e+00
  %122 = fcmp olt float %121, %23
  %123 = select i1 %122, float %121, float %23
  %124 = fadd float %98, 5.000000e-01
  %125 = fcmp ogt float %124, 0.000000e+00
  %126 = select i1 %125, float %124, float 0.000000e+00
  %127 = fcmp olt float %126, %23
  %128 = select i1 %127, float %126, float %23
  %129 = fdiv float 1.000000e+00, %71
  %130 = fmul float %63, %129
  %131 = fsub float %57, %67
  %132 = fmul float %131, %129
  %133 = fsub float %62, %65
  %134 = fmul float %133, %129
  %135 = fmul float %58, %129
  %136 = getelementptr inbounds i8, ptr %50, i64 8
  %137 = load float, ptr %136, align 4
  %138 = getelementptr inbounds i8, ptr %45, i64 8
  %139 = load float, ptr %138, align 4
  %140 = getelementptr inbounds i8, ptr %55, i64 8
  %141 = load float, ptr %140, align 4
  %142 = fsub float %141, %139
  %143 = fmul float %134, %142
  %144 = fmul float %135, %142
  store float %130, ptr %7, align 4
  store float %134, ptr %24, align 4
  %145 = fneg float %130
  %146 = fsub float %145, %134
  store float %146, ptr %25, align 4
  store float %132, ptr %8, align 4
  store float %135, ptr %26, align 4
  %147 = fneg float %132
  %148 = fsub float %147, %135
  store float %148, ptr %27, align 4
  %149 = sitofp i64 %112 to float
  %150 = fadd float %149, 5.000000e-01
  %151 = fsub float %150, %57
  %152 = sitofp i64 %118 to float
  %153 = fadd float %152, 5.000000e-01
  %154 = fsub float %153, %57
  store float %151, ptr %9, align 16
  store float %151, ptr %28, align 4
  store float %154, ptr %29, align 8
  store float %154, ptr %30, align 4
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 16 dereferenceable(16) %10, i8 0, i64 16, i1 false)
  store i64 0, ptr %11, align 8
  br label %172

155:
  %156 = fptosi float %123 to i64
  %157 = fptosi float %128 to i64
  %158 = fsub float %137, %139
  %159 = tail call float @llvm.fmuladd.f32(float %158, float %130, float %143)
  %160 = tail call float @llvm.fmuladd.f32(float %158, float %132, float %144)
  %161 = icmp sgt i64 %156, %157
  br i1 %161, label %205, label %162

162:
  %163 = load float, ptr %9, align 16
  %164 = load float, ptr %10, align 16
  %165 = load float, ptr %28, align 4
  %166 = load float, ptr %31, align 4
  %167 = load float, ptr %29, align 8
  %168 = load float, ptr %32, align 8
  %169 = load float, ptr %30, align 4
  %170 = load float, ptr %33, align 4
  %171 = trunc i64 %39 to i32
  br label %206

172:
  %173 = phi i64 [ 0, %106 ], [ %203, %200 ]
  %174 = phi float [ 0.000000e+00, %106 ], [ %202, %200 ]
  %175 = phi float [ 0x3F1A36E2E0000000, %106 ], [ %201, %200 ]
  %176 = icmp eq i64 %173, 2
  %177 = select i1 %176, float 0x3FF00068E0000000, float 0x3F1A36E2E0000000
  %178 = getelementptr inbounds [3 x float], ptr %7, i64 0, i64 %173
  %179 = load float, ptr %178, align 4
  %180 = tail call float @llvm.fabs.f32(float %179)
  %181 = fcmp ogt float %180, 0x3D71979980000000
  br i1 %181, label %182, label %197

182:
  %183 = fdiv float -1.000000e+00, %179
  %184 = fcmp ogt float %183, 0.000000e+00
  %185 = zext i1 %184 to i64
  %186 = getelementptr inbounds [2 x i32], ptr %11, i64 0, i64 %185
  %187 = load i32, ptr %186, align 4
  %188 = add nsw i32 %187, 1
  store i32 %188, ptr %186, align 4
  %189 = and i32 %187, 1
  %190 = fmul float %177, %183
  %191 = zext nneg i32 %189 to i64
  %192 = getelementptr inbounds [2 x [2 x float]], ptr %9, i64 0, i64 %185, i64 %191
  store float %190, ptr %192, align 4
  %193 = getelementptr inbounds [3 x float], ptr %8, i64 0, i64 %173
  %194 = load float, ptr %193, align 4
  %195 = fmul float %183, %194
  %196 = getelementptr inbounds [2 x [2 x float]], ptr %10, i64 0, i64 %185, i64 %191
  store float %195, ptr %196, align 4
  br label %200

197:
  %198 = getelementptr inbounds [3 x float], ptr %8, i64 0, i64 %173
  %199 = load float, ptr %198, align 4
  br label %200

200:
  %201 = phi float [ %175, %182 ], [ %177, %197 ]
  %202 = phi float [ %174, %182 ], [ %199, %197 ]
  %203 = add nuw nsw i64 %173, 1
  %204 = icmp eq i64 %203, 3
  br i1 %204, label %155, label %172

205:
  br label %296

206:
  %207 = phi i64 [ %156, %162 ], [ %294, %293 ]
  %208 = sitofp i64 %207 to float
  %209 = fadd float %208, 5.000000e-01
  %210 = load float, ptr %61, align 4
  %211 = fsub float %209, %210
  %212 = tail call float @llvm.fmuladd.f32(float %164, float %211, float %163)
  %213 = tail call float @llvm.fmuladd.f32(float %166, float %211, float %165)
  %214 = fcmp ogt float %212, %213
  %215 = select i1 %214, float %212, float %213
  %216 = tail call float @llvm.fmuladd.f32(float %168, float %211, float %167)
  %217 = tail call float @llvm.fmuladd.f32(float %170, float %211, float %169)
  %218 = fcmp olt float %216, %217
  %219 = select i1 %218, float %216, float %217
  %220 = fcmp ogt float %215, %151
  %221 = select i1 %220, float %215, float %151
  %222 = fcmp olt float %219, %154
  %223 = select i1 %222, float %219, float %154
  %224 = fcmp ugt float %221, %223
  %225 = tail call float @llvm.fmuladd.f32(float %202, float %211, float %201)
  %226 = fcmp olt float %225, 0.000000e+00
  %227 = select i1 %224, i1 true, i1 %226
  br i1 %227, label %293, label %228

228:
  %229 = load float, ptr %45, align 4
  %230 = fadd float %221, %229
  %231 = fadd float %230, 5.000000e-01
  %232 = fcmp ogt float %231, 0.000000e+00
  %233 = select i1 %232, float %231, float 0.000000e+00
  %234 = fcmp olt float %233, %21
  %235 = select i1 %234, float %233, float %21
  %236 = fptosi float %235 to i64
  %237 = fadd float %223, %229
  %238 = fadd float %237, -5.000000e-01
  %239 = fcmp ogt float %238, 0.000000e+00
  %240 = select i1 %239, float %238, float 0.000000e+00
  %241 = fcmp olt float %240, %21
  %242 = select i1 %241, float %240, float %21
  %243 = fptosi float %242 to i64
  %244 = sitofp i64 %236 to float
  %245 = fadd float %244, 5.000000e-01
  %246 = fsub float %245, %229
  %247 = fcmp olt float %246, %221
  %248 = fadd float %246, 1.000000e+00
  %249 = zext i1 %247 to i64
  %250 = add nsw i64 %249, %236
  %251 = select i1 %247, float %248, float %246
  %252 = load ptr, ptr %34, align 8
  %253 = shl nsw i64 %207, 3
  %254 = getelementptr inbounds i8, ptr %252, i64 %253
  %255 = load i32, ptr %254, align 4
  %256 = sext i32 %255 to i64
  %257 = icmp slt i64 %250, %256
  br i1 %257, label %258, label %260

258:
  %259 = trunc i64 %250 to i32
  store i32 %259, ptr %254, align 4
  br label %260

260:
  %261 = getelementptr inbounds i8, ptr %254, i64 4
  %262 = load i32, ptr %261, align 4
  %263 = sext i32 %262 to i64
  %264 = icmp sgt i64 %243, %263
  br i1 %264, label %265, label %267

265:
  %266 = trunc i64 %243 to i32
  store i32 %266, ptr %261, align 4
  br label %267

267:
  %268 = icmp sgt i64 %250, %243
  br i1 %268, label %293, label %269

269:
  %270 = mul nsw i64 %207, %12
  %271 = add nsw i64 %250, %270
  %272 = load float, ptr %138, align 4
  %273 = tail call float @llvm.fmuladd.f32(float %159, float %251, float %272)
  %274 = tail call float @llvm.fmuladd.f32(float %160, float %211, float %273)
  br label %275

275:
  %276 = phi i64 [ %289, %288 ], [ %250, %269 ]
  %277 = phi i64 [ %290, %288 ], [ %271, %269 ]
  %278 = phi float [ %291, %288 ], [ %274, %269 ]
  %279 = load ptr, ptr %35, align 8
  %280 = getelementptr inbounds float, ptr %279, i64 %277
  %281 = load float, ptr %280, align 4
  %282 = fcmp ugt float %278, %281
  br i1 %282, label %283, label %288

283:
  store float %278, ptr %280, align 4
  %284 = load ptr, ptr %36, align 8
  %285 = icmp eq ptr %284, null
  br i1 %285, label %288, label %286

286:
  %287 = getelementptr inbounds i32, ptr %284, i64 %277
  store i32 %171, ptr %287, align 4
  br label %288

288:
  %289 = add i64 %276, 1
  %290 = add nsw i64 %277, 1
  %291 = fadd float %159, %278
  %292 = icmp eq i64 %276, %243
  br i1 %292, label %293, label %275

293:
  %294 = add i64 %207, 1
  %295 = icmp eq i64 %207, %157
  br i1 %295, label %205, label %206

296:
  %297 = add nsw i64 %39, 1
  %298 = icmp eq i64 %297, %5
  br i1 %298, label %37, label %38
}

declare float @llvm.fmuladd.f32(float, float, float) #3

declare void @llvm.memset.p0.i64(ptr nocapture writeonly, i8, i64, i1 immarg) #4

define void @shade_pixels(ptr nocapture noundef readonly %0, i64 noundef %1, i64 noundef %2) local_unnamed_addr #5 {
  %4 = alloca [3 x float], align 4
  %5 = alloca [3 x float], align 4
  %6 = alloca [3 x float], align 4
  %7 = alloca [3 x float], align 4
  %8 = alloca [3 x float], align 4
  %9 = alloca [3 x float], align 4
  %10 = alloca [4 x i32], align 16
  %11 = alloca [3 x float], align 4
  %12 = alloca [3 x float], align 4
  %13 = alloca [3 x float], align 4
  %14 = alloca %struct.Shaded, align 4
  %15 = alloca %struct.Shaded, align 4
  %16 = alloca [4 x float], align 16
  %17 = alloca [4 x float], align 16
  %18 = getelementptr inbounds i8, ptr %0, i64 48
  %19 = load i64, ptr %18, align 8
  %20 = load ptr, ptr %0, align 8
  %21 = load i64, ptr %20, align 8
  %22 = sdiv i64 %21, %19
  %23 = getelementptr inbounds i8, ptr %0, i64 56
  %24 = icmp slt i64 %1, %2
  br i1 %24, label %25, label %70

25:
  %26 = icmp sgt i64 %19, 0
  %27 = getelementptr inbounds i8, ptr %0, i64 8
  %28 = getelementptr inbounds i8, ptr %0, i64 72
  %29 = getelementptr inbounds i8, ptr %0, i64 80
  %30 = getelementptr inbounds i8, ptr %0, i64 64
  %31 = getelementptr inbounds i8, ptr %10, i64 4
  %32 = getelementptr inbounds i8, ptr %10, i64 8
  %33 = getelementptr inbounds i8, ptr %10, i64 12
  %34 = getelementptr inbounds i8, ptr %0, i64 40
  %35 = getelementptr inbounds i8, ptr %12, i64 4
  %36 = getelementptr inbounds i8, ptr %11, i64 4
  %37 = getelementptr inbounds i8, ptr %12, i64 8
  %38 = getelementptr inbounds i8, ptr %11, i64 8
  %39 = getelementptr inbounds i8, ptr %14, i64 4
  %40 = getelementptr inbounds i8, ptr %16, i64 12
  %41 = getelementptr inbounds i8, ptr %15, i64 4
  %42 = getelementptr inbounds i8, ptr %13, i64 4
  %43 = getelementptr inbounds i8, ptr %13, i64 8
  %44 = getelementptr inbounds i8, ptr %17, i64 12
  %45 = sitofp i64 %19 to float
  %46 = fmul float %45, 5.000000e-01
  %47 = getelementptr inbounds i8, ptr %0, i64 88
  %48 = getelementptr inbounds i8, ptr %0, i64 96
  %49 = getelementptr inbounds i8, ptr %0, i64 92
  %50 = getelementptr inbounds i8, ptr %5, i64 4
  %51 = getelementptr inbounds i8, ptr %5, i64 8
  %52 = getelementptr inbounds i8, ptr %0, i64 100
  %53 = getelementptr inbounds i8, ptr %6, i64 4
  %54 = getelementptr inbounds i8, ptr %6, i64 8
  %55 = getelementptr inbounds i8, ptr %0, i64 120
  %56 = getelementptr inbounds i8, ptr %0, i64 124
  %57 = getelementptr inbounds i8, ptr %0, i64 128
  %58 = getelementptr inbounds i8, ptr %0, i64 144
  %59 = getelementptr inbounds i8, ptr %0, i64 148
  %60 = getelementptr inbounds i8, ptr %0, i64 220
  %61 = getelementptr inbounds i8, ptr %0, i64 168
  %62 = getelementptr inbounds i8, ptr %7, i64 4
  %63 = getelementptr inbounds i8, ptr %7, i64 8
  %64 = getelementptr inbounds i8, ptr %4, i64 4
  %65 = getelementptr inbounds i8, ptr %0, i64 152
  %66 = getelementptr inbounds i8, ptr %0, i64 160
  %67 = getelementptr inbounds i8, ptr %4, i64 8
  %68 = getelementptr inbounds i8, ptr %0, i64 216
  %69 = getelementptr inbounds i8, ptr %0, i64 224
  br label %71

70:
  ret void

71:
  %72 = phi i64 [ %1, %25 ], [ %165, %164 ]
  %73 = load ptr, ptr %0, align 8
  %74 = icmp ne ptr %73, null
  %75 = and i1 %26, %74
  br i1 %75, label %76, label %105

76:
  %77 = getelementptr inbounds i8, ptr %73, i64 32
  %78 = mul nsw i64 %72, %19
  %79 = load ptr, ptr %77, align 8
  br label %80

80:
  %81 = phi i64 [ %22, %76 ], [ %101, %100 ]
  %82 = phi i64 [ 0, %76 ], [ %102, %100 ]
  %83 = phi i64 [ 0, %76 ], [ %103, %100 ]
  %84 = add nsw i64 %83, %78
  %85 = shl nsw i64 %84, 3
  %86 = getelementptr inbounds i8, ptr %79, i64 %85
  %87 = getelementptr inbounds i8, ptr %86, i64 4
  %88 = load i32, ptr %87, align 4
  %89 = load i32, ptr %86, align 4
  %90 = icmp slt i32 %88, %89
  br i1 %90, label %100, label %91

91:
  %92 = sext i32 %89 to i64
  %93 = sdiv i64 %92, %19
  %94 = tail call i64 @llvm.smin.i64(i64 %93, i64 %81)
  %95 = sext i32 %88 to i64
  %96 = sdiv i64 %95, %19
  %97 = icmp slt i64 %96, %82
  %98 = add nsw i64 %96, 1
  %99 = select i1 %97, i64 %82, i64 %98
  br label %100

100:
  %101 = phi i64 [ %81, %80 ], [ %94, %91 ]
  %102 = phi i64 [ %82, %80 ], [ %99, %91 ]
  %103 = add nuw nsw i64 %83, 1
  %104 = icmp eq i64 %103, %19
  br i1 %104, label %105, label %80

105:
  %106 = phi i64 [ %22, %71 ], [ %101, %100 ]
  %107 = phi i64 [ 0, %71 ], [ %102, %100 ]
  %108 = load ptr, ptr %27, align 8
  %109 = icmp ne ptr %108, null
  %110 = and i1 %26, %109
  br i1 %110, label %111, label %140

111:
  %112 = getelementptr inbounds i8, ptr %108, i64 32
  %113 = mul nsw i64 %72, %19
  %114 = load ptr, ptr %112, align 8
  br label %115

115:
  %116 = phi i64 [ %106, %111 ], [ %136, %135 ]
  %117 = phi i64 [ %107, %111 ], [ %137, %135 ]
  %118 = phi i64 [ 0, %111 ], [ %138, %135 ]
  %119 = add nsw i64 %118, %113
  %120 = shl nsw i64 %119, 3
  %121 = getelementptr inbounds i8, ptr %114, i64 %120
  %122 = getelementptr inbounds i8, ptr %121, i64 4
  %123 = load i32, ptr %122, align 4
  %124 = load i32, ptr %121, align 4
  %125 = icmp slt i32 %123, %124
  br i1 %125, label %135, label %126

126:
  %127 = sext i32 %124 to i64
  %128 = sdiv i64 %127, %19
  %129 = tail call i64 @llvm.smin.i64(i64 %128, i64 %116)
  %130 = sext i32 %123 to i64
  %131 = sdiv i64 %130, %19
  %132 = icmp slt i64 %131, %117
  %133 = add nsw i64 %131, 1
  %134 = select i1 %132, i64 %117, i64 %133
  br label %135

135:
  %136 = phi i64 [ %116, %115 ], [ %129, %126 ]
  %137 = phi i64 [ %117, %115 ], [ %134, %126 ]
  %138 = add nuw nsw i64 %118, 1
  %139 = icmp eq i64 %138, %19
  br i1 %139, label %140, label %115

140:
  %141 = phi i64 [ %106, %105 ], [ %136, %135 ]
  %142 = phi i64 [ %107, %105 ], [ %137, %135 ]
  %143 = load i64, ptr %28, align 8
  %144 = icmp slt i64 %72, %143
  br i1 %144, label %153, label %145

145:
  %146 = load i64, ptr %29, align 8
  %147 = icmp slt i64 %72, %146
  br i1 %147, label %148, label %153

148:
  %149 = load i64, ptr %23, align 8
  %150 = tail call i64 @llvm.smin.i64(i64 %149, i64 %141)
  %151 = load i64, ptr %30, align 8
  %152 = tail call i64 @llvm.smax.i64(i64 %151, i64 %142)
  br label %153

153:
  %154 = phi i64 [ %141, %145 ], [ %141, %140 ], [ %150, %148 ]
  %155 = phi i1 [ true, %145 ], [ true, %140 ], [ false, %148 ]
  %156 = phi i64 [ %142, %145 ], [ %142, %140 ], [ %152, %148 ]
  %157 = icmp slt i64 %154, %156
  br i1 %157, label %158, label %164

158:
  %159 = shl nsw i64 %72, 1
  %160 = mul nsw i64 %72, %19
  %161 = sitofp i64 %160 to float
  %162 = fadd float %46, %161
  %163 = mul nsw i64 %72, %22
  br label %167

164:
  %165 = add i64 %72, 1
  %166 = icmp eq i64 %165, %2
  br i1 %166, label %70, label %71

167:
  %168 = phi i64 [ %154, %158 ], [ %700, %699 ]
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 16 dereferenceable(16) %17, i8 0, i64 16, i1 false)
  %169 = icmp sge i64 %168, %141
  %170 = icmp slt i64 %168, %142
  %171 = select i1 %169, i1 %170, i1 false
  br i1 %171, label %172, label %443

172:
  %173 = load i64, ptr %18, align 8
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 4 dereferenceable(16) %14, ptr noundef nonnull align 4 dereferenceable(16) @__const.mean_color.veil, i64 16, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 4 dereferenceable(16) %15, ptr noundef nonnull align 4 dereferenceable(16) @__const.mean_color.veil, i64 16, i1 false)
  br label %179

174:
  %175 = load ptr, ptr %27, align 8
  %176 = icmp eq ptr %175, null
  %177 = icmp eq i64 %173, 2
  %178 = select i1 %176, i1 %177, i1 false
  br i1 %178, label %184, label %314

179:
  %180 = phi i64 [ 0, %172 ], [ %182, %179 ]
  %181 = getelementptr inbounds float, ptr %17, i64 %180
  store float 0.000000e+00, ptr %181, align 4
  %182 = add nuw nsw i64 %180, 1
  %183 = icmp eq i64 %182, 4
  br i1 %183, label %174, label %179

184:
  %185 = load ptr, ptr %0, align 8
  %186 = getelementptr inbounds i8, ptr %185, i64 16
  %187 = load ptr, ptr %186, align 8
  %188 = load i64, ptr %185, align 8
  %189 = mul nsw i64 %188, %159
  %190 = getelementptr inbounds float, ptr %187, i64 %189
  %191 = shl nsw i64 %168, 1
  %192 = getelementptr inbounds float, ptr %190, i64 %191
  %193 = getelementptr inbounds float, ptr %192, i64 %188
  %194 = load float, ptr %192, align 4
  %195 = fcmp ogt float %194, 0.000000e+00
  %196 = getelementptr inbounds i8, ptr %192, i64 4
  %197 = load float, ptr %196, align 4
  %198 = fcmp ogt float %197, 0.000000e+00
  br i1 %195, label %207, label %199

199:
  br i1 %198, label %316, label %200

200:
  %201 = load float, ptr %193, align 4
  %202 = fcmp ogt float %201, 0.000000e+00
  br i1 %202, label %316, label %203

203:
  %204 = getelementptr inbounds i8, ptr %193, i64 4
  %205 = load float, ptr %204, align 4
  %206 = fcmp ogt float %205, 0.000000e+00
  br i1 %206, label %316, label %441

207:
  br i1 %198, label %208, label %316

208:
  %209 = load float, ptr %193, align 4
  %210 = fcmp ogt float %209, 0.000000e+00
  br i1 %210, label %211, label %316

211:
  %212 = getelementptr inbounds i8, ptr %193, i64 4
  %213 = load float, ptr %212, align 4
  %214 = fcmp ogt float %213, 0.000000e+00
  br i1 %214, label %215, label %316

215:
  %216 = getelementptr inbounds i8, ptr %185, i64 24
  %217 = load ptr, ptr %216, align 8
  %218 = getelementptr inbounds i32, ptr %217, i64 %189
  %219 = getelementptr inbounds i32, ptr %218, i64 %191
  %220 = load i32, ptr %219, align 4
  %221 = getelementptr inbounds i8, ptr %219, i64 4
  %222 = load i32, ptr %221, align 4
  store i32 %222, ptr %31, align 4
  %223 = getelementptr inbounds i32, ptr %219, i64 %188
  %224 = load i32, ptr %223, align 4
  store i32 %224, ptr %32, align 8
  %225 = getelementptr i8, ptr %223, i64 4
  %226 = load i32, ptr %225, align 4
  store i32 %226, ptr %33, align 4
  %227 = load ptr, ptr %34, align 8
  call fastcc void @normal_at(ptr noundef nonnull readonly %0, ptr noundef nonnull %185, i64 noundef %191, i64 noundef %159, ptr noundef nonnull %11) #11
  br label %237

228:
  %229 = shl nsw i32 %220, 2
  %230 = sext i32 %229 to i64
  %231 = getelementptr inbounds float, ptr %227, i64 %230
  %232 = getelementptr inbounds i8, ptr %231, i64 4
  %233 = getelementptr inbounds i8, ptr %231, i64 8
  %234 = load float, ptr %11, align 4
  %235 = load float, ptr %36, align 4
  %236 = load float, ptr %38, align 4
  br label %244

237:
  %238 = phi i64 [ 0, %215 ], [ %242, %237 ]
  %239 = getelementptr inbounds [3 x float], ptr %11, i64 0, i64 %238
  %240 = load float, ptr %239, align 4
  %241 = getelementptr inbounds [3 x float], ptr %13, i64 0, i64 %238
  store float %240, ptr %241, align 4
  %242 = add nuw nsw i64 %238, 1
  %243 = icmp eq i64 %242, 3
  br i1 %243, label %228, label %237

244:
  %245 = phi i64 [ 1, %228 ], [ %291, %290 ]
  %246 = phi i1 [ false, %228 ], [ %292, %290 ]
  %247 = getelementptr inbounds [4 x i32], ptr %10, i64 0, i64 %245
  %248 = load i32, ptr %247, align 4
  %249 = icmp eq i32 %248, %220
  br i1 %249, label %290, label %250

250:
  %251 = load ptr, ptr %34, align 8
  %252 = shl nsw i32 %248, 2
  %253 = sext i32 %252 to i64
  %254 = getelementptr inbounds float, ptr %251, i64 %253
  %255 = load float, ptr %254, align 4
  %256 = load float, ptr %231, align 4
  %257 = fcmp une float %255, %256
  br i1 %257, label %313, label %258

258:
  %259 = getelementptr inbounds i8, ptr %254, i64 4
  %260 = load float, ptr %259, align 4
  %261 = load float, ptr %232, align 4
  %262 = fcmp une float %260, %261
  br i1 %262, label %313, label %263

263:
  %264 = getelementptr inbounds i8, ptr %254, i64 8
  %265 = load float, ptr %264, align 4
  %266 = load float, ptr %233, align 4
  %267 = fcmp une float %265, %266
  br i1 %267, label %313, label %268

268:
  %269 = and i64 %245, 1
  %270 = or disjoint i64 %269, %191
  %271 = lshr i64 %245, 1
  %272 = and i64 %271, 2147483647
  %273 = add nsw i64 %272, %159
  call fastcc void @normal_at(ptr noundef nonnull readonly %0, ptr noundef nonnull %185, i64 noundef %270, i64 noundef %273, ptr noundef nonnull %12) #11
  %274 = load float, ptr %12, align 4
  %275 = load float, ptr %35, align 4
  %276 = fmul float %235, %275
  %277 = tail call float @llvm.fmuladd.f32(float %274, float %234, float %276)
  %278 = load float, ptr %37, align 4
  %279 = tail call float @llvm.fmuladd.f32(float %278, float %236, float %277)
  %280 = fcmp olt float %279, 0x3FEF5C2900000000
  br i1 %280, label %313, label %281

281:
  %282 = phi i64 [ %288, %281 ], [ 0, %268 ]
  %283 = getelementptr inbounds [3 x float], ptr %12, i64 0, i64 %282
  %284 = load float, ptr %283, align 4
  %285 = getelementptr inbounds [3 x float], ptr %13, i64 0, i64 %282
  %286 = load float, ptr %285, align 4
  %287 = fadd float %284, %286
  store float %287, ptr %285, align 4
  %288 = add nuw nsw i64 %282, 1
  %289 = icmp eq i64 %288, 3
  br i1 %289, label %290, label %281

290:
  %291 = add nuw nsw i64 %245, 1
  %292 = icmp ugt i64 %245, 2
  %293 = icmp eq i64 %291, 4
  br i1 %293, label %294, label %244

294:
  %295 = load float, ptr %13, align 4
  %296 = load float, ptr %42, align 4
  %297 = fmul float %296, %296
  %298 = tail call float @llvm.fmuladd.f32(float %295, float %295, float %297)
  %299 = load float, ptr %43, align 4
  %300 = tail call float @llvm.fmuladd.f32(float %299, float %299, float %298)
  %301 = tail call float @sqrtf(float noundef %300) #12
  %302 = fcmp ogt float %301, 0x3BC79CA100000000
  %303 = fdiv float 1.000000e+00, %301
  %304 = select i1 %302, float %303, float 0.000000e+00
  br label %305

305:
  %306 = phi i64 [ 0, %294 ], [ %310, %305 ]
  %307 = getelementptr inbounds float, ptr %13, i64 %306
  %308 = load float, ptr %307, align 4
  %309 = fmul float %304, %308
  store float %309, ptr %307, align 4
  %310 = add nuw nsw i64 %306, 1
  %311 = icmp eq i64 %310, 3
  br i1 %311, label %312, label %305

312:
  call fastcc void @shade(ptr noundef nonnull readonly %0, ptr noundef nonnull %185, i64 noundef %191, i64 noundef %159, ptr noundef nonnull %13, ptr noundef nonnull %17) #11
  store float 1.000000e+00, ptr %44, align 4
  br label %441

313:
  br i1 %246, label %441, label %314

314:
  %315 = icmp sgt i64 %173, 0
  br i1 %315, label %316, label %324

316:
  %317 = mul nsw i64 %173, %168
  %318 = mul nsw i64 %173, %72
  br label %319

319:
  %320 = phi i32 [ -1, %316 ], [ %421, %327 ]
  %321 = phi i32 [ -1, %316 ], [ %384, %327 ]
  %322 = phi i64 [ 0, %316 ], [ %328, %327 ]
  %323 = add nsw i64 %322, %318
  br label %330

324:
  %325 = mul nsw i64 %173, %173
  %326 = uitofp nneg i64 %325 to float
  br label %434

327:
  %328 = add nuw nsw i64 %322, 1
  %329 = icmp eq i64 %328, %173
  br i1 %329, label %324, label %319

330:
  %331 = phi i32 [ %320, %319 ], [ %421, %422 ]
  %332 = phi i32 [ %321, %319 ], [ %384, %422 ]
  %333 = phi i64 [ 0, %319 ], [ %423, %422 ]
  %334 = add nsw i64 %333, %317
  %335 = load ptr, ptr %0, align 8
  %336 = load i64, ptr %335, align 8
  %337 = mul nsw i64 %336, %323
  %338 = add nsw i64 %337, %334
  %339 = getelementptr inbounds i8, ptr %335, i64 16
  %340 = load ptr, ptr %339, align 8
  %341 = getelementptr inbounds float, ptr %340, i64 %338
  %342 = load float, ptr %341, align 4
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 16 dereferenceable(16) %16, i8 0, i64 16, i1 false)
  %343 = load ptr, ptr %27, align 8
  %344 = icmp eq ptr %343, null
  br i1 %344, label %382, label %345

345:
  %346 = getelementptr inbounds i8, ptr %343, i64 16
  %347 = load ptr, ptr %346, align 8
  %348 = getelementptr inbounds float, ptr %347, i64 %338
  %349 = load float, ptr %348, align 4
  %350 = fcmp ogt float %349, %342
  br i1 %350, label %351, label %382

351:
  %352 = load i64, ptr %343, align 8
  %353 = mul nsw i64 %352, %323
  %354 = getelementptr inbounds i8, ptr %343, i64 24
  %355 = load ptr, ptr %354, align 8
  %356 = getelementptr i32, ptr %355, i64 %353
  %357 = getelementptr i32, ptr %356, i64 %334
  %358 = load i32, ptr %357, align 4
  %359 = icmp eq i32 %358, %332
  br i1 %359, label %362, label %360

360:
  store i32 %358, ptr %14, align 4
  call fastcc void @normal_at(ptr noundef nonnull readonly %0, ptr noundef nonnull readonly %343, i64 noundef %334, i64 noundef %323, ptr noundef nonnull %9) #11
  call fastcc void @shade(ptr noundef nonnull readonly %0, ptr noundef nonnull readonly %343, i64 noundef %334, i64 noundef %323, ptr noundef nonnull %9, ptr noundef nonnull %39) #11
  %361 = load i32, ptr %14, align 4
  br label %362

362:
  %363 = phi i32 [ %361, %360 ], [ %332, %351 ]
  %364 = load ptr, ptr %34, align 8
  %365 = shl nsw i32 %363, 2
  %366 = or disjoint i32 %365, 3
  %367 = sext i32 %366 to i64
  %368 = getelementptr inbounds float, ptr %364, i64 %367
  %369 = load float, ptr %368, align 4
  br label %370

370:
  %371 = phi i64 [ 0, %362 ], [ %377, %370 ]
  %372 = getelementptr inbounds [3 x float], ptr %39, i64 0, i64 %371
  %373 = load float, ptr %372, align 4
  %374 = getelementptr inbounds float, ptr %16, i64 %371
  %375 = load float, ptr %374, align 4
  %376 = tail call float @llvm.fmuladd.f32(float %369, float %373, float %375)
  store float %376, ptr %374, align 4
  %377 = add nuw nsw i64 %371, 1
  %378 = icmp eq i64 %377, 3
  br i1 %378, label %379, label %370

379:
  %380 = load float, ptr %40, align 4
  %381 = fadd float %369, %380
  store float %381, ptr %40, align 4
  br label %382

382:
  %383 = phi float [ %381, %379 ], [ 0.000000e+00, %345 ], [ 0.000000e+00, %330 ]
  %384 = phi i32 [ %363, %379 ], [ %332, %345 ], [ %332, %330 ]
  %385 = fcmp ogt float %342, 0.000000e+00
  br i1 %385, label %386, label %420

386:
  %387 = load ptr, ptr %0, align 8
  %388 = load i64, ptr %387, align 8
  %389 = mul nsw i64 %388, %323
  %390 = getelementptr inbounds i8, ptr %387, i64 24
  %391 = load ptr, ptr %390, align 8
  %392 = getelementptr i32, ptr %391, i64 %389
  %393 = getelementptr i32, ptr %392, i64 %334
  %394 = load i32, ptr %393, align 4
  %395 = icmp eq i32 %394, %331
  br i1 %395, label %398, label %396

396:
  store i32 %394, ptr %15, align 4
  call fastcc void @normal_at(ptr noundef nonnull readonly %0, ptr noundef nonnull readonly %387, i64 noundef %334, i64 noundef %323, ptr noundef nonnull %8) #11
  call fastcc void @shade(ptr noundef nonnull readonly %0, ptr noundef nonnull readonly %387, i64 noundef %334, i64 noundef %323, ptr noundef nonnull %8, ptr noundef nonnull %41) #11
  %397 = load i32, ptr %15, align 4
  br label %398

398:
  %399 = phi i32 [ %397, %396 ], [ %331, %386 ]
  %400 = load ptr, ptr %34, align 8
  %401 = shl nsw i32 %399, 2
  %402 = or disjoint i32 %401, 3
  %403 = sext i32 %402 to i64
  %404 = getelementptr inbounds float, ptr %400, i64 %403
  %405 = load float, ptr %404, align 4
  %406 = fsub float 1.000000e+00, %383
  %407 = fmul float %406, %405
  br label %408

408:
  %409 = phi i64 [ 0, %398 ], [ %415, %408 ]
  %410 = getelementptr inbounds [3 x float], ptr %41, i64 0, i64 %409
  %411 = load float, ptr %410, align 4
  %412 = getelementptr inbounds float, ptr %16, i64 %409
  %413 = load float, ptr %412, align 4
  %414 = tail call float @llvm.fmuladd.f32(float %407, float %411, float %413)
  store float %414, ptr %412, align 4
  %415 = add nuw nsw i64 %409, 1
  %416 = icmp eq i64 %415, 3
  br i1 %416, label %417, label %408

417:
  %418 = load float, ptr %40, align 4
  %419 = fadd float %407, %418
  store float %419, ptr %40, align 4
  br label %420

420:
  %421 = phi i32 [ %399, %417 ], [ %331, %382 ]
  br label %425

422:
  %423 = add nuw nsw i64 %333, 1
  %424 = icmp eq i64 %423, %173
  br i1 %424, label %327, label %330

425:
  %426 = phi i64 [ 0, %420 ], [ %432, %425 ]
  %427 = getelementptr inbounds [4 x float], ptr %16, i64 0, i64 %426
  %428 = load float, ptr %427, align 4
  %429 = getelementptr inbounds float, ptr %17, i64 %426
  %430 = load float, ptr %429, align 4
  %431 = fadd float %428, %430
  store float %431, ptr %429, align 4
  %432 = add nuw nsw i64 %426, 1
  %433 = icmp eq i64 %432, 4
  br i1 %433, label %422, label %425

434:
  %435 = phi i64 [ 0, %324 ], [ %439, %434 ]
  %436 = getelementptr inbounds float, ptr %17, i64 %435
  %437 = load float, ptr %436, align 4
  %438 = fdiv float %437, %326
  store float %438, ptr %436, align 4
  %439 = add nuw nsw i64 %435, 1
  %440 = icmp eq i64 %439, 4
  br i1 %440, label %441, label %434

441:
  %442 = load float, ptr %44, align 4
  br label %443

443:
  %444 = phi float [ %442, %441 ], [ 0.000000e+00, %167 ]
  %445 = fcmp uge float %444, 1.000000e+00
  %446 = or i1 %155, %445
  br i1 %446, label %664, label %447

447:
  %448 = load i64, ptr %23, align 8
  %449 = icmp slt i64 %168, %448
  br i1 %449, label %664, label %450

450:
  %451 = load i64, ptr %30, align 8
  %452 = icmp slt i64 %168, %451
  br i1 %452, label %453, label %664

453:
  %454 = mul nsw i64 %168, %19
  %455 = sitofp i64 %454 to float
  %456 = fadd float %46, %455
  %457 = load float, ptr %47, align 8
  %458 = load float, ptr %48, align 8
  %459 = tail call float @llvm.fmuladd.f32(float %458, float %456, float %457)
  %460 = load float, ptr %49, align 4
  %461 = fneg float %458
  %462 = tail call float @llvm.fmuladd.f32(float %461, float %162, float %460)
  store float %459, ptr %5, align 4
  store float %462, ptr %50, align 4
  store float 0.000000e+00, ptr %51, align 4
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 4 dereferenceable(12) %6, ptr noundef nonnull align 4 dereferenceable(12) @__const.shadow_on_ground.along, i64 12, i1 false)
  %463 = load float, ptr %52, align 4
  %464 = fcmp ogt float %463, 0.000000e+00
  br i1 %464, label %465, label %467

465:
  store float 0.000000e+00, ptr %50, align 4
  store float 0.000000e+00, ptr %5, align 4
  store float %463, ptr %51, align 4
  store float %459, ptr %6, align 4
  store float %462, ptr %53, align 4
  %466 = fneg float %463
  store float %466, ptr %54, align 4
  br label %467

467:
  %468 = phi float [ %463, %465 ], [ 0.000000e+00, %453 ]
  %469 = phi float [ 0.000000e+00, %465 ], [ %462, %453 ]
  %470 = phi float [ 0.000000e+00, %465 ], [ %459, %453 ]
  %471 = phi float [ %466, %465 ], [ -1.000000e+00, %453 ]
  %472 = phi float [ %462, %465 ], [ 0.000000e+00, %453 ]
  %473 = phi float [ %459, %465 ], [ 0.000000e+00, %453 ]
  %474 = load float, ptr %55, align 4
  %475 = load float, ptr %56, align 4
  %476 = fmul float %472, %475
  %477 = tail call float @llvm.fmuladd.f32(float %474, float %473, float %476)
  %478 = load float, ptr %57, align 4
  %479 = tail call float @llvm.fmuladd.f32(float %478, float %471, float %477)
  %480 = fcmp olt float %479, 0.000000e+00
  br i1 %480, label %481, label %662

481:
  %482 = load float, ptr %58, align 8
  %483 = fmul float %469, %475
  %484 = tail call float @llvm.fmuladd.f32(float %474, float %470, float %483)
  %485 = tail call float @llvm.fmuladd.f32(float %478, float %468, float %484)
  %486 = fsub float %482, %485
  %487 = fdiv float %486, %479
  %488 = fcmp ogt float %487, 0.000000e+00
  br i1 %488, label %652, label %662

489:
  %490 = load float, ptr %59, align 4
  %491 = load float, ptr %60, align 4
  %492 = load float, ptr %7, align 4
  %493 = load float, ptr %62, align 4
  %494 = load float, ptr %63, align 4
  br label %501

495:
  %496 = fdiv float %491, 3.000000e+00
  %497 = tail call float @llvm.fmuladd.f32(float %496, float 7.000000e+00, float 4.000000e+00)
  %498 = load float, ptr %4, align 4
  %499 = fneg float %497
  %500 = fcmp olt float %498, %499
  br i1 %500, label %648, label %520

501:
  %502 = phi i64 [ 0, %489 ], [ %518, %501 ]
  %503 = shl nuw nsw i64 %502, 2
  %504 = getelementptr inbounds float, ptr %61, i64 %503
  %505 = load float, ptr %504, align 4
  %506 = getelementptr inbounds i8, ptr %504, i64 4
  %507 = load float, ptr %506, align 4
  %508 = fmul float %493, %507
  %509 = tail call float @llvm.fmuladd.f32(float %505, float %492, float %508)
  %510 = getelementptr inbounds i8, ptr %504, i64 8
  %511 = load float, ptr %510, align 4
  %512 = tail call float @llvm.fmuladd.f32(float %511, float %494, float %509)
  %513 = or disjoint i64 %503, 3
  %514 = getelementptr inbounds [12 x float], ptr %61, i64 0, i64 %513
  %515 = load float, ptr %514, align 4
  %516 = fadd float %515, %512
  %517 = getelementptr inbounds [3 x float], ptr %4, i64 0, i64 %502
  store float %516, ptr %517, align 4
  %518 = add nuw nsw i64 %502, 1
  %519 = icmp eq i64 %518, 3
  br i1 %519, label %495, label %501

520:
  %521 = load float, ptr %64, align 4
  %522 = fcmp olt float %521, %499
  br i1 %522, label %648, label %523

523:
  %524 = load ptr, ptr %65, align 8
  %525 = load i64, ptr %524, align 8
  %526 = sitofp i64 %525 to float
  %527 = fadd float %497, %526
  %528 = fcmp ogt float %498, %527
  br i1 %528, label %648, label %529

529:
  %530 = getelementptr inbounds i8, ptr %524, i64 8
  %531 = load i64, ptr %530, align 8
  %532 = sitofp i64 %531 to float
  %533 = fadd float %497, %532
  %534 = fcmp ogt float %521, %533
  br i1 %534, label %648, label %535

535:
  %536 = load ptr, ptr %66, align 8
  %537 = add nsw i64 %531, -1
  %538 = sitofp i64 %537 to float
  %539 = fcmp ogt float %521, 0.000000e+00
  %540 = select i1 %539, float %521, float 0.000000e+00
  %541 = fcmp olt float %540, %538
  %542 = select i1 %541, float %540, float %538
  %543 = fptosi float %542 to i64
  %544 = shl nsw i64 %543, 3
  %545 = getelementptr inbounds i8, ptr %536, i64 %544
  %546 = load i32, ptr %545, align 4
  %547 = sitofp i32 %546 to float
  %548 = fcmp olt float %498, %547
  br i1 %548, label %648, label %549

549:
  %550 = getelementptr inbounds i8, ptr %545, i64 4
  %551 = load i32, ptr %550, align 4
  %552 = sitofp i32 %551 to float
  %553 = fcmp ogt float %498, %552
  br i1 %553, label %648, label %554

554:
  %555 = fmul float %496, 3.000000e+00
  %556 = load float, ptr %67, align 4
  %557 = load float, ptr %68, align 8
  %558 = fadd float %556, %557
  %559 = fmul float %555, -5.000000e-01
  %560 = fmul float %559, 2.000000e+00
  %561 = fadd float %560, %498
  %562 = fadd float %560, %521
  %563 = getelementptr inbounds i8, ptr %524, i64 16
  br label %564

564:
  %565 = phi i32 [ 0, %554 ], [ %596, %573 ]
  %566 = phi i32 [ 0, %554 ], [ %574, %573 ]
  %567 = uitofp nneg i32 %566 to float
  %568 = tail call float @llvm.fmuladd.f32(float %567, float %555, float %562)
  %569 = fcmp oge float %568, 0.000000e+00
  %570 = fcmp olt float %568, %532
  %571 = fptosi float %568 to i64
  %572 = mul nsw i64 %525, %571
  br label %576

573:
  %574 = add nuw nsw i32 %566, 1
  %575 = icmp eq i32 %574, 3
  br i1 %575, label %599, label %564

576:
  %577 = phi i32 [ %565, %564 ], [ %596, %593 ]
  %578 = phi i32 [ 0, %564 ], [ %597, %593 ]
  %579 = uitofp nneg i32 %578 to float
  %580 = tail call float @llvm.fmuladd.f32(float %579, float %555, float %561)
  %581 = fcmp oge float %580, 0.000000e+00
  %582 = select i1 %581, i1 %569, i1 false
  %583 = fcmp olt float %580, %526
  %584 = and i1 %583, %582
  %585 = select i1 %584, i1 %570, i1 false
  br i1 %585, label %586, label %593

586:
  %587 = load ptr, ptr %563, align 8
  %588 = fptosi float %580 to i64
  %589 = getelementptr float, ptr %587, i64 %572
  %590 = getelementptr float, ptr %589, i64 %588
  %591 = load float, ptr %590, align 4
  %592 = fcmp ule float %591, %558
  br label %593

593:
  %594 = phi i1 [ %592, %586 ], [ true, %576 ]
  %595 = zext i1 %594 to i32
  %596 = add nsw i32 %577, %595
  %597 = add nuw nsw i32 %578, 1
  %598 = icmp eq i32 %597, 3
  br i1 %598, label %573, label %576

599:
  %600 = sitofp i32 %596 to float
  %601 = fdiv float %600, 9.000000e+00
  %602 = fcmp ogt float %601, 0.000000e+00
  %603 = fcmp olt float %601, 1.000000e+00
  %604 = and i1 %602, %603
  br i1 %604, label %605, label %648

605:
  %606 = fmul float %496, -5.000000e-01
  %607 = fmul float %606, 6.000000e+00
  %608 = fadd float %607, %498
  %609 = fadd float %607, %521
  br label %610

610:
  %611 = phi i32 [ 0, %605 ], [ %642, %619 ]
  %612 = phi i32 [ 0, %605 ], [ %620, %619 ]
  %613 = uitofp nneg i32 %612 to float
  %614 = tail call float @llvm.fmuladd.f32(float %613, float %496, float %609)
  %615 = fcmp oge float %614, 0.000000e+00
  %616 = fcmp olt float %614, %532
  %617 = fptosi float %614 to i64
  %618 = mul nsw i64 %525, %617
  br label %622

619:
  %620 = add nuw nsw i32 %612, 1
  %621 = icmp eq i32 %620, 7
  br i1 %621, label %645, label %610

622:
  %623 = phi i32 [ %611, %610 ], [ %642, %639 ]
  %624 = phi i32 [ 0, %610 ], [ %643, %639 ]
  %625 = uitofp nneg i32 %624 to float
  %626 = tail call float @llvm.fmuladd.f32(float %625, float %496, float %608)
  %627 = fcmp oge float %626, 0.000000e+00
  %628 = select i1 %627, i1 %615, i1 false
  %629 = fcmp olt float %626, %526
  %630 = and i1 %629, %628
  %631 = select i1 %630, i1 %616, i1 false
  br i1 %631, label %632, label %639

632:
  %633 = load ptr, ptr %563, align 8
  %634 = fptosi float %626 to i64
  %635 = getelementptr float, ptr %633, i64 %618
  %636 = getelementptr float, ptr %635, i64 %634
  %637 = load float, ptr %636, align 4
  %638 = fcmp ule float %637, %558
  br label %639

639:
  %640 = phi i1 [ %638, %632 ], [ true, %622 ]
  %641 = zext i1 %640 to i32
  %642 = add nsw i32 %623, %641
  %643 = add nuw nsw i32 %624, 1
  %644 = icmp eq i32 %643, 7
  br i1 %644, label %619, label %622

645:
  %646 = sitofp i32 %642 to float
  %647 = fdiv float %646, 4.900000e+01
  br label %648

648:
  %649 = phi float [ 1.000000e+00, %529 ], [ 1.000000e+00, %523 ], [ 1.000000e+00, %520 ], [ 1.000000e+00, %495 ], [ 1.000000e+00, %535 ], [ 1.000000e+00, %549 ], [ %647, %645 ], [ %601, %599 ]
  %650 = fsub float 1.000000e+00, %649
  %651 = fmul float %490, %650
  br label %662

652:
  %653 = phi i64 [ %660, %652 ], [ 0, %481 ]
  %654 = getelementptr inbounds [3 x float], ptr %5, i64 0, i64 %653
  %655 = load float, ptr %654, align 4
  %656 = getelementptr inbounds [3 x float], ptr %6, i64 0, i64 %653
  %657 = load float, ptr %656, align 4
  %658 = tail call float @llvm.fmuladd.f32(float %487, float %657, float %655)
  %659 = getelementptr inbounds [3 x float], ptr %7, i64 0, i64 %653
  store float %658, ptr %659, align 4
  %660 = add nuw nsw i64 %653, 1
  %661 = icmp eq i64 %660, 3
  br i1 %661, label %489, label %652

662:
  %663 = phi float [ 0.000000e+00, %467 ], [ %651, %648 ], [ 0.000000e+00, %481 ]
  br label %664

664:
  %665 = phi float [ %663, %662 ], [ 0.000000e+00, %450 ], [ 0.000000e+00, %447 ], [ 0.000000e+00, %443 ]
  %666 = fsub float 1.000000e+00, %444
  %667 = tail call float @llvm.fmuladd.f32(float %666, float %665, float %444)
  %668 = fcmp ogt float %667, 0.000000e+00
  br i1 %668, label %669, label %699

669:
  %670 = load ptr, ptr %69, align 8
  %671 = add nsw i64 %168, %163
  %672 = shl nsw i64 %671, 2
  %673 = getelementptr inbounds i8, ptr %670, i64 %672
  %674 = fdiv float 1.000000e+00, %667
  %675 = fmul float %666, %665
  br label %684

676:
  %677 = tail call float @llvm.fmuladd.f32(float %667, float 2.550000e+02, float 5.000000e-01)
  %678 = fcmp ogt float %677, 0.000000e+00
  %679 = select i1 %678, float %677, float 0.000000e+00
  %680 = fcmp olt float %679, 2.550000e+02
  %681 = select i1 %680, float %679, float 2.550000e+02
  %682 = fptoui float %681 to i8
  %683 = getelementptr inbounds i8, ptr %673, i64 3
  store i8 %682, ptr %683, align 1
  br label %699

684:
  %685 = phi i64 [ 0, %669 ], [ %697, %684 ]
  %686 = getelementptr inbounds [4 x float], ptr %17, i64 0, i64 %685
  %687 = load float, ptr %686, align 4
  %688 = tail call float @llvm.fmuladd.f32(float %675, float 0x3FBEB851E0000000, float %687)
  %689 = fmul float %674, %688
  %690 = tail call float @llvm.fmuladd.f32(float %689, float 2.550000e+02, float 5.000000e-01)
  %691 = fcmp ogt float %690, 0.000000e+00
  %692 = select i1 %691, float %690, float 0.000000e+00
  %693 = fcmp olt float %692, 2.550000e+02
  %694 = select i1 %693, float %692, float 2.550000e+02
  %695 = fptoui float %694 to i8
  %696 = getelementptr inbounds i8, ptr %673, i64 %685
  store i8 %695, ptr %696, align 1
  %697 = add nuw nsw i64 %685, 1
  %698 = icmp eq i64 %697, 3
  br i1 %698, label %676, label %684

699:
  %700 = add i64 %168, 1
  %701 = icmp eq i64 %700, %156
  br i1 %701, label %164, label %167
}

define void @lay_over(ptr nocapture noundef readonly %0, i64 noundef %1, i64 noundef %2, ptr nocapture noundef %3, i64 noundef %4) local_unnamed_addr #6 {
  %6 = icmp sgt i64 %2, 0
  br i1 %6, label %7, label %15

7:
  %8 = icmp sgt i64 %1, 0
  br label %9

9:
  %10 = phi i64 [ 0, %7 ], [ %17, %16 ]
  br i1 %8, label %11, label %16

11:
  %12 = mul nuw nsw i64 %10, %1
  %13 = mul nsw i64 %10, %4
  %14 = getelementptr inbounds i8, ptr %3, i64 %13
  br label %19

15:
  ret void

16:
  %17 = add nuw nsw i64 %10, 1
  %18 = icmp eq i64 %17, %2
  br i1 %18, label %15, label %9

19:
  %20 = phi i64 [ 0, %11 ], [ %49, %48 ]
  %21 = add nuw nsw i64 %20, %12
  %22 = shl nsw i64 %21, 2
  %23 = getelementptr inbounds i8, ptr %0, i64 %22
  %24 = shl nsw i64 %20, 2
  %25 = getelementptr inbounds i8, ptr %14, i64 %24
  %26 = getelementptr inbounds i8, ptr %23, i64 3
  %27 = load i8, ptr %26, align 1
  %28 = zext i8 %27 to i32
  %29 = icmp eq i8 %27, 0
  br i1 %29, label %48, label %30

30:
  %31 = xor i32 %28, 255
  br label %32

32:
  %33 = phi i64 [ 0, %30 ], [ %46, %32 ]
  %34 = getelementptr inbounds i8, ptr %23, i64 %33
  %35 = load i8, ptr %34, align 1
  %36 = zext i8 %35 to i32
  %37 = mul nuw nsw i32 %36, %28
  %38 = getelementptr inbounds i8, ptr %25, i64 %33
  %39 = load i8, ptr %38, align 1
  %40 = zext i8 %39 to i32
  %41 = mul nuw nsw i32 %31, %40
  %42 = add nuw nsw i32 %37, 127
  %43 = add nuw nsw i32 %42, %41
  %44 = udiv i32 %43, 255
  %45 = trunc i32 %44 to i8
  store i8 %45, ptr %38, align 1
  %46 = add nuw nsw i64 %33, 1
  %47 = icmp eq i64 %46, 3
  br i1 %47, label %48, label %32

48:
  %49 = add nuw nsw i64 %20, 1
  %50 = icmp eq i64 %49, %1
  br i1 %50, label %16, label %19
}

declare void @llvm.memcpy.p0.p0.i64(ptr noalias nocapture writeonly, ptr noalias nocapture readonly, i64, i1 immarg) #7

define internal fastcc void @normal_at(ptr nocapture noundef readonly %0, ptr nocapture noundef readonly %1, i64 noundef %2, i64 noundef %3, ptr nocapture noundef %4) unnamed_addr #5 {
  %6 = alloca [3 x float], align 4
  %7 = getelementptr inbounds i8, ptr %0, i64 16
  %8 = load ptr, ptr %7, align 8
  %9 = getelementptr inbounds i8, ptr %1, i64 24
  %10 = load ptr, ptr %9, align 8
  %11 = load i64, ptr %1, align 8
  %12 = mul nsw i64 %11, %3
  %13 = getelementptr i32, ptr %10, i64 %12
  %14 = getelementptr i32, ptr %13, i64 %2
  %15 = load i32, ptr %14, align 4
  %16 = mul nsw i32 %15, 3
  %17 = sext i32 %16 to i64
  %18 = getelementptr inbounds i32, ptr %8, i64 %17
  %19 = getelementptr inbounds i8, ptr %0, i64 24
  %20 = load ptr, ptr %19, align 8
  %21 = load i32, ptr %18, align 4
  %22 = mul nsw i32 %21, 3
  %23 = sext i32 %22 to i64
  %24 = getelementptr inbounds float, ptr %20, i64 %23
  %25 = getelementptr inbounds i8, ptr %18, i64 4
  %26 = load i32, ptr %25, align 4
  %27 = mul nsw i32 %26, 3
  %28 = sext i32 %27 to i64
  %29 = getelementptr inbounds float, ptr %20, i64 %28
  %30 = getelementptr inbounds i8, ptr %18, i64 8
  %31 = load i32, ptr %30, align 4
  %32 = mul nsw i32 %31, 3
  %33 = sext i32 %32 to i64
  %34 = getelementptr inbounds float, ptr %20, i64 %33
  %35 = load float, ptr %29, align 4
  %36 = load float, ptr %24, align 4
  %37 = fsub float %35, %36
  %38 = getelementptr inbounds i8, ptr %34, i64 4
  %39 = load float, ptr %38, align 4
  %40 = getelementptr inbounds i8, ptr %24, i64 4
  %41 = load float, ptr %40, align 4
  %42 = fsub float %39, %41
  %43 = getelementptr inbounds i8, ptr %29, i64 4
  %44 = load float, ptr %43, align 4
  %45 = fsub float %44, %41
  %46 = load float, ptr %34, align 4
  %47 = fsub float %46, %36
  %48 = fneg float %45
  %49 = fmul float %47, %48
  %50 = tail call float @llvm.fmuladd.f32(float %37, float %42, float %49)
  %51 = sitofp i64 %2 to float
  %52 = fadd float %51, 5.000000e-01
  %53 = fsub float %52, %36
  %54 = sitofp i64 %3 to float
  %55 = fadd float %54, 5.000000e-01
  %56 = fsub float %55, %41
  %57 = fsub float %41, %39
  %58 = fmul float %56, %47
  %59 = tail call float @llvm.fmuladd.f32(float %57, float %53, float %58)
  %60 = fsub float %36, %35
  %61 = fmul float %60, %56
  %62 = tail call float @llvm.fmuladd.f32(float %45, float %53, float %61)
  %63 = fneg float %50
  %64 = fsub float %63, %59
  %65 = fsub float %64, %62
  store float %65, ptr %6, align 4
  %66 = getelementptr inbounds i8, ptr %6, i64 4
  store float %59, ptr %66, align 4
  %67 = getelementptr inbounds i8, ptr %6, i64 8
  store float %62, ptr %67, align 4
  %68 = getelementptr inbounds i8, ptr %0, i64 32
  br label %90

69:
  %70 = load float, ptr %4, align 4
  %71 = getelementptr inbounds i8, ptr %4, i64 4
  %72 = load float, ptr %71, align 4
  %73 = fmul float %72, %72
  %74 = tail call float @llvm.fmuladd.f32(float %70, float %70, float %73)
  %75 = getelementptr inbounds i8, ptr %4, i64 8
  %76 = load float, ptr %75, align 4
  %77 = tail call float @llvm.fmuladd.f32(float %76, float %76, float %74)
  %78 = tail call float @sqrtf(float noundef %77) #12
  %79 = fcmp ogt float %78, 0x3BC79CA100000000
  %80 = fdiv float 1.000000e+00, %78
  %81 = select i1 %79, float %80, float 0.000000e+00
  br label %82

82:
  %83 = phi i64 [ 0, %69 ], [ %87, %82 ]
  %84 = getelementptr inbounds float, ptr %4, i64 %83
  %85 = load float, ptr %84, align 4
  %86 = fmul float %81, %85
  store float %86, ptr %84, align 4
  %87 = add nuw nsw i64 %83, 1
  %88 = icmp eq i64 %87, 3
  br i1 %88, label %89, label %82

89:
  ret void

90:
  %91 = phi i64 [ 0, %5 ], [ %95, %94 ]
  %92 = getelementptr inbounds float, ptr %4, i64 %91
  store float 0.000000e+00, ptr %92, align 4
  %93 = trunc nuw nsw i64 %91 to i32
  br label %97

94:
  %95 = add nuw nsw i64 %91, 1
  %96 = icmp eq i64 %95, 3
  br i1 %96, label %69, label %90

97:
  %98 = phi float [ 0.000000e+00, %90 ], [ %110, %97 ]
  %99 = phi i64 [ 0, %90 ], [ %111, %97 ]
  %100 = getelementptr inbounds [3 x float], ptr %6, i64 0, i64 %99
  %101 = load float, ptr %100, align 4
  %102 = load ptr, ptr %68, align 8
  %103 = getelementptr inbounds i32, ptr %18, i64 %99
  %104 = load i32, ptr %103, align 4
  %105 = mul nsw i32 %104, 3
  %106 = add nsw i32 %105, %93
  %107 = sext i32 %106 to i64
  %108 = getelementptr inbounds float, ptr %102, i64 %107
  %109 = load float, ptr %108, align 4
  %110 = tail call float @llvm.fmuladd.f32(float %101, float %109, float %98)
  store float %110, ptr %92, align 4
  %111 = add nuw nsw i64 %99, 1
  %112 = icmp eq i64 %111, 3
  br i1 %112, label %94, label %97
}

define internal fastcc void @shade(ptr nocapture noundef readonly %0, ptr nocapture noundef readonly %1, i64 noundef %2, i64 noundef %3, ptr nocapture noundef readonly %4, ptr nocapture noundef writeonly %5) unnamed_addr #2 {
  %7 = alloca [3 x float], align 4
  %8 = alloca [3 x float], align 4
  %9 = load i64, ptr %1, align 8
  %10 = mul nsw i64 %9, %3
  %11 = add nsw i64 %10, %2
  %12 = getelementptr inbounds i8, ptr %0, i64 108
  %13 = load float, ptr %4, align 4
  %14 = load float, ptr %12, align 4
  %15 = getelementptr inbounds i8, ptr %4, i64 4
  %16 = load float, ptr %15, align 4
  %17 = getelementptr inbounds i8, ptr %0, i64 112
  %18 = load float, ptr %17, align 4
  %19 = fmul float %16, %18
  %20 = tail call float @llvm.fmuladd.f32(float %13, float %14, float %19)
  %21 = getelementptr inbounds i8, ptr %4, i64 8
  %22 = load float, ptr %21, align 4
  %23 = getelementptr inbounds i8, ptr %0, i64 116
  %24 = load float, ptr %23, align 4
  %25 = tail call float @llvm.fmuladd.f32(float %22, float %24, float %20)
  %26 = fcmp ogt float %25, 0.000000e+00
  br i1 %26, label %27, label %189

27:
  %28 = sitofp i64 %2 to float
  %29 = fadd float %28, 5.000000e-01
  %30 = sitofp i64 %3 to float
  %31 = fadd float %30, 5.000000e-01
  %32 = getelementptr inbounds i8, ptr %1, i64 16
  %33 = load ptr, ptr %32, align 8
  %34 = getelementptr inbounds float, ptr %33, i64 %11
  %35 = load float, ptr %34, align 4
  %36 = getelementptr inbounds i8, ptr %0, i64 100
  %37 = load float, ptr %36, align 4
  %38 = fcmp ogt float %37, 0.000000e+00
  %39 = fmul float %35, %37
  %40 = fdiv float 1.000000e+00, %39
  %41 = select i1 %38, float %40, float 1.000000e+00
  %42 = getelementptr inbounds i8, ptr %0, i64 88
  %43 = load float, ptr %42, align 8
  %44 = getelementptr inbounds i8, ptr %0, i64 96
  %45 = load float, ptr %44, align 8
  %46 = tail call float @llvm.fmuladd.f32(float %45, float %29, float %43)
  %47 = fmul float %46, %41
  store float %47, ptr %8, align 4
  %48 = getelementptr inbounds i8, ptr %0, i64 92
  %49 = load float, ptr %48, align 4
  %50 = fneg float %45
  %51 = tail call float @llvm.fmuladd.f32(float %50, float %31, float %49)
  %52 = fmul float %41, %51
  %53 = getelementptr inbounds i8, ptr %8, i64 4
  store float %52, ptr %53, align 4
  br i1 %38, label %54, label %57

54:
  %55 = fdiv float 1.000000e+00, %35
  %56 = fsub float %37, %55
  br label %61

57:
  %58 = getelementptr inbounds i8, ptr %0, i64 104
  %59 = load float, ptr %58, align 8
  %60 = fadd float %35, %59
  br label %61

61:
  %62 = phi float [ %56, %54 ], [ %60, %57 ]
  %63 = getelementptr inbounds i8, ptr %8, i64 8
  store float %62, ptr %63, align 4
  %64 = getelementptr inbounds i8, ptr %0, i64 216
  %65 = load float, ptr %64, align 8
  br label %164

66:
  %67 = getelementptr inbounds i8, ptr %0, i64 168
  %68 = load float, ptr %8, align 4
  %69 = load float, ptr %53, align 4
  %70 = load float, ptr %63, align 4
  br label %74

71:
  %72 = load float, ptr %7, align 4
  %73 = fcmp olt float %72, -6.000000e+00
  br i1 %73, label %151, label %93

74:
  %75 = phi i64 [ 0, %66 ], [ %91, %74 ]
  %76 = shl nuw nsw i64 %75, 2
  %77 = getelementptr inbounds float, ptr %67, i64 %76
  %78 = load float, ptr %77, align 4
  %79 = getelementptr inbounds i8, ptr %77, i64 4
  %80 = load float, ptr %79, align 4
  %81 = fmul float %80, %69
  %82 = tail call float @llvm.fmuladd.f32(float %78, float %68, float %81)
  %83 = getelementptr inbounds i8, ptr %77, i64 8
  %84 = load float, ptr %83, align 4
  %85 = tail call float @llvm.fmuladd.f32(float %84, float %70, float %82)
  %86 = or disjoint i64 %76, 3
  %87 = getelementptr inbounds [12 x float], ptr %67, i64 0, i64 %86
  %88 = load float, ptr %87, align 4
  %89 = fadd float %85, %88
  %90 = getelementptr inbounds [3 x float], ptr %7, i64 0, i64 %75
  store float %89, ptr %90, align 4
  %91 = add nuw nsw i64 %75, 1
  %92 = icmp eq i64 %91, 3
  br i1 %92, label %71, label %74

93:
  %94 = getelementptr inbounds i8, ptr %7, i64 4
  %95 = load float, ptr %94, align 4
  %96 = fcmp olt float %95, -6.000000e+00
  br i1 %96, label %151, label %97

97:
  %98 = getelementptr inbounds i8, ptr %0, i64 152
  %99 = load ptr, ptr %98, align 8
  %100 = load i64, ptr %99, align 8
  %101 = sitofp i64 %100 to float
  %102 = fadd float %101, 6.000000e+00
  %103 = fcmp ogt float %72, %102
  br i1 %103, label %151, label %104

104:
  %105 = getelementptr inbounds i8, ptr %99, i64 8
  %106 = load i64, ptr %105, align 8
  %107 = sitofp i64 %106 to float
  %108 = fadd float %107, 6.000000e+00
  %109 = fcmp ogt float %95, %108
  br i1 %109, label %151, label %110

110:
  %111 = getelementptr inbounds i8, ptr %7, i64 8
  %112 = load float, ptr %111, align 4
  %113 = fadd float %112, %65
  %114 = fadd float %72, -5.000000e-01
  %115 = fadd float %95, -5.000000e-01
  %116 = getelementptr inbounds i8, ptr %99, i64 16
  br label %117

117:
  %118 = phi i32 [ 0, %110 ], [ %147, %126 ]
  %119 = phi i1 [ true, %110 ], [ false, %126 ]
  %120 = phi float [ 0.000000e+00, %110 ], [ 1.000000e+00, %126 ]
  %121 = fadd float %115, %120
  %122 = fcmp oge float %121, 0.000000e+00
  %123 = fcmp olt float %121, %107
  %124 = fptosi float %121 to i64
  %125 = mul nsw i64 %100, %124
  br label %127

126:
  br i1 %119, label %117, label %148

127:
  %128 = phi i32 [ %118, %117 ], [ %147, %144 ]
  %129 = phi i1 [ true, %117 ], [ false, %144 ]
  %130 = phi float [ 0.000000e+00, %117 ], [ 1.000000e+00, %144 ]
  %131 = fadd float %114, %130
  %132 = fcmp oge float %131, 0.000000e+00
  %133 = and i1 %132, %122
  %134 = fcmp olt float %131, %101
  %135 = and i1 %134, %133
  %136 = and i1 %135, %123
  br i1 %136, label %137, label %144

137:
  %138 = load ptr, ptr %116, align 8
  %139 = fptosi float %131 to i64
  %140 = getelementptr float, ptr %138, i64 %125
  %141 = getelementptr float, ptr %140, i64 %139
  %142 = load float, ptr %141, align 4
  %143 = fcmp ule float %142, %113
  br label %144

144:
  %145 = phi i1 [ %143, %137 ], [ true, %127 ]
  %146 = zext i1 %145 to i32
  %147 = add nsw i32 %128, %146
  br i1 %129, label %127, label %126

148:
  %149 = sitofp i32 %147 to float
  %150 = fmul float %149, 2.500000e-01
  br label %151

151:
  %152 = phi float [ %150, %148 ], [ 1.000000e+00, %104 ], [ 1.000000e+00, %97 ], [ 1.000000e+00, %93 ], [ 1.000000e+00, %71 ]
  %153 = getelementptr inbounds i8, ptr %0, i64 132
  %154 = load float, ptr %153, align 4
  %155 = getelementptr inbounds i8, ptr %0, i64 136
  %156 = load float, ptr %155, align 4
  %157 = fmul float %16, %156
  %158 = tail call float @llvm.fmuladd.f32(float %13, float %154, float %157)
  %159 = getelementptr inbounds i8, ptr %0, i64 140
  %160 = load float, ptr %159, align 4
  %161 = tail call float @llvm.fmuladd.f32(float %22, float %160, float %158)
  %162 = fcmp ogt float %161, 0.000000e+00
  %163 = select i1 %162, float %161, float 0.000000e+00
  br label %183

164:
  %165 = phi i64 [ 0, %61 ], [ %171, %164 ]
  %166 = getelementptr inbounds float, ptr %4, i64 %165
  %167 = load float, ptr %166, align 4
  %168 = getelementptr inbounds [3 x float], ptr %8, i64 0, i64 %165
  %169 = load float, ptr %168, align 4
  %170 = tail call float @llvm.fmuladd.f32(float %65, float %167, float %169)
  store float %170, ptr %168, align 4
  %171 = add nuw nsw i64 %165, 1
  %172 = icmp eq i64 %171, 3
  br i1 %172, label %66, label %164

173:
  %174 = fmul float %25, %152
  %175 = fmul float %152, 0x3FCC28F5C0000000
  %176 = fmul float %25, 4.000000e+00
  %177 = fcmp ogt float %176, 0.000000e+00
  %178 = select i1 %177, float %176, float 0.000000e+00
  %179 = fcmp olt float %178, 1.000000e+00
  %180 = select i1 %179, float %178, float 1.000000e+00
  %181 = fmul float %180, %175
  %182 = fmul float %181, %186
  br label %189

183:
  %184 = phi float [ %163, %151 ], [ %186, %183 ]
  %185 = phi i32 [ 0, %151 ], [ %187, %183 ]
  %186 = fmul float %184, %184
  %187 = add nuw nsw i32 %185, 1
  %188 = icmp eq i32 %187, 5
  br i1 %188, label %173, label %183

189:
  %190 = phi float [ %182, %173 ], [ 0.000000e+00, %6 ]
  %191 = phi float [ %174, %173 ], [ 0.000000e+00, %6 ]
  %192 = getelementptr inbounds i8, ptr %0, i64 120
  %193 = load float, ptr %192, align 4
  %194 = getelementptr inbounds i8, ptr %0, i64 124
  %195 = load float, ptr %194, align 4
  %196 = fmul float %16, %195
  %197 = tail call float @llvm.fmuladd.f32(float %13, float %193, float %196)
  %198 = getelementptr inbounds i8, ptr %0, i64 128
  %199 = load float, ptr %198, align 4
  %200 = tail call float @llvm.fmuladd.f32(float %22, float %199, float %197)
  %201 = tail call float @llvm.fmuladd.f32(float %200, float 5.000000e-01, float 5.000000e-01)
  %202 = tail call float @llvm.fmuladd.f32(float %201, float 0x3FD0A3D700000000, float 0x3FD47AE140000000)
  %203 = fcmp ogt float %22, 0.000000e+00
  %204 = select i1 %203, float %22, float 0.000000e+00
  %205 = tail call float @llvm.fmuladd.f32(float %204, float 0x3FC1EB8520000000, float %202)
  %206 = tail call float @llvm.fmuladd.f32(float %191, float 0x3FDC28F5C0000000, float %205)
  %207 = getelementptr inbounds i8, ptr %0, i64 40
  %208 = load ptr, ptr %207, align 8
  %209 = getelementptr inbounds i8, ptr %1, i64 24
  %210 = load ptr, ptr %209, align 8
  %211 = getelementptr inbounds i32, ptr %210, i64 %11
  %212 = load i32, ptr %211, align 4
  %213 = shl nsw i32 %212, 2
  %214 = sext i32 %213 to i64
  %215 = getelementptr inbounds float, ptr %208, i64 %214
  br label %217

216:
  ret void

217:
  %218 = phi i64 [ 0, %189 ], [ %227, %217 ]
  %219 = getelementptr inbounds float, ptr %215, i64 %218
  %220 = load float, ptr %219, align 4
  %221 = tail call float @llvm.fmuladd.f32(float %220, float %206, float %190)
  %222 = fcmp ogt float %221, 0.000000e+00
  %223 = select i1 %222, float %221, float 0.000000e+00
  %224 = fcmp olt float %223, 1.000000e+00
  %225 = select i1 %224, float %223, float 1.000000e+00
  %226 = getelementptr inbounds float, ptr %5, i64 %218
  store float %225, ptr %226, align 4
  %227 = add nuw nsw i64 %218, 1
  %228 = icmp eq i64 %227, 3
  br i1 %228, label %216, label %217
}

declare float @sqrtf(float noundef) local_unnamed_addr #8

declare float @llvm.fabs.f32(float) #9

declare i32 @llvm.smin.i32(i32, i32) #9

declare i32 @llvm.smax.i32(i32, i32) #9

declare i64 @llvm.smin.i64(i64, i64) #9

declare i64 @llvm.smax.i64(i64, i64) #9

attributes #0 = { nofree norecurse nosync nounwind memory(readwrite, inaccessiblemem: none) }
attributes #1 = { mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #2 = { nofree norecurse nosync nounwind memory(read, argmem: readwrite, inaccessiblemem: none) }
attributes #3 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #4 = { mustprogress nocallback nofree nounwind willreturn memory(argmem: write) }
attributes #5 = { nounwind }
attributes #6 = { nofree norecurse nosync nounwind memory(argmem: readwrite) }
attributes #7 = { mustprogress nocallback nofree nounwind willreturn memory(argmem: readwrite) }
attributes #8 = { nounwind }
attributes #9 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #10 = { nounwind }
attributes #11 = { nobuiltin }
attributes #12 = { nobuiltin nounwind }
